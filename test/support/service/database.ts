import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import postgres from 'postgres'
import { inject } from 'vitest'

export interface TestDatabase {
  readonly url: string
  readonly sql: postgres.Sql
  drop(): Promise<void>
}

/** Creates a migrated database in about 30 ms. Call it in beforeAll and `drop` in afterAll. */
export async function createDatabase({ migrated = true }: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const name = `t_${randomBytes(6).toString('hex')}`
  const server = inject('postgresUrl')
  // Copying files is faster than logging every page, and nothing has to survive a crash.
  const template = migrated ? inject('templateDatabase') : 'template0'
  await asAdmin(server, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const sql = postgres(url.href, { onnotice: () => {} })
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await asAdmin(server, `drop database if exists ${name} with (force)`)
    },
  }
}

const migrations = new URL('../../../server/database/migrations/', import.meta.url)

/** Creates a database as an earlier release left it: with its migrations, which are those before this number, and no rows. */
export async function createEarlierDatabase(before: string): Promise<TestDatabase> {
  const database = await createDatabase({ migrated: false })
  const { sql } = database
  await sql`create table migrations (name text primary key, applied_at timestamptz not null default now())`
  for (const file of readdirSync(migrations).toSorted()) {
    if (file >= before) continue
    await sql.unsafe(readFileSync(new URL(file, migrations), 'utf8'))
    await sql`insert into migrations (name) values (${file})`
  }
  return database
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await admin.unsafe(statement)
  } finally {
    await admin.end()
  }
}
