import { readFileSync } from 'node:fs'
import type { EvmConfig } from '../chains/evm/evm-config.ts'
import { type ChainConfig, isEvm, parseChainTable } from '../chains/table.ts'
import { connect, type Sql } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'

export type Env = Readonly<Record<string, string | undefined>>
export type Say = (line: string) => void

/** An operator runs a command by hand, beside the service and with its environment. */
export interface Command {
  readonly usage: string
  /** The process exits with this if the command throws, and with 1 by default. */
  readonly failsWith?: number
  run(args: readonly string[], env: Env, say: Say): Promise<void>
}

/** A mistake in the command's arguments or environment is reported together with the command's usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command ran and its result is not a success, so the process exits with this code. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

export const exitCodeOf = (error: unknown): number => (error instanceof CommandFailed ? error.exitCode : 1)

export function required(env: Env, name: string): string {
  const value = env[name]
  if (!value) throw new UsageError(`${name} is missing: these commands read the service's own environment.`)
  return value
}

export const configuredChains = (env: Env): readonly ChainConfig[] =>
  parseChainTable(JSON.parse(readFileSync(required(env, 'TILL_CHAINS'), 'utf8')), env)

export const configuredEvmChains = (env: Env): readonly EvmConfig[] => configuredChains(env).filter(isEvm)

/** Migrates the database first, as the service does, so that the first organisation may be created before the first start. */
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
