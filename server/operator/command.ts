import { readFileSync } from 'node:fs'
import { type ChainConfig, parseChainTable } from '../chains/table.ts'
import { connect, type Sql } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'

export type Env = Readonly<Record<string, string | undefined>>
export type Say = (line: string) => void

/** What an operator does by hand, once: beside the service, with the service's own environment. */
export interface Command {
  readonly usage: string
  run(args: readonly string[], env: Env, say: Say): Promise<void>
}

/** A mistake in how it was called: told with how it is called. */
export class UsageError extends Error {
  override readonly name = 'WronglyCalled'
}

export function required(env: Env, name: string): string {
  const value = env[name]
  if (!value) throw new UsageError(`${name} is missing: these commands read the service's own environment.`)
  return value
}

export const configuredChains = (env: Env): readonly ChainConfig[] =>
  parseChainTable(JSON.parse(readFileSync(required(env, 'TILL_CHAINS'), 'utf8')), env)

/** As the service does it: the schema is brought up to date first, so that a first organisation may come before a first start. */
export async function withDatabase<T>(env: Env, work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = required(env, 'DATABASE_URL')
  await migrate(url)
  const sql = connect(url, 1)
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 3 })
  }
}
