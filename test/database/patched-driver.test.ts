import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patchPostgres } from '../../check/patch-postgres.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { root } from '../support/root.ts'
import { until } from '../support/wait.ts'

/** The patched driver of the build, against a server that closes connections inside transactions. */

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createDatabase({ migrated: false })
  mkdirSync(join(root, '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, '.cache/postgres-'))
})
afterAll(async () => {
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function patchedDriver(): Promise<typeof import('postgres')> {
  cpSync(join(root, 'node_modules/postgres/src'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const file = join(folder, 'connection.js')
  writeFileSync(file, patchPostgres(readFileSync(file, 'utf8')))
  return ((await import(/* @vite-ignore */ join(folder, 'index.js'))) as { default: typeof import('postgres') }).default
}

test('behavior: connections lost inside transactions each report an error, and all of them reconnect', { timeout: 30_000 }, async () => {
  const sql = (await patchedDriver())(database.url, { max: 4, connect_timeout: 2, onnotice: () => undefined })
  for (let round = 0; round < 10; round++) {
    const lost = await Promise.allSettled(
      Array.from({ length: 4 }, () =>
        sql.begin(async (tx) => {
          await Promise.all([tx`select 1`, tx`select pg_terminate_backend(pg_backend_pid())`, tx`select 2`])
        }),
      ),
    )
    expect(lost.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    // A connection may be reused just before it closes and then reports the error too.
    await until(() => Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.01)`)))
  }
  await sql.end({ timeout: 1 })
})

test('error: another release of the driver stops the build', () => {
  expect(() => patchPostgres('export default {}')).toThrow('postgres.js has changed')
})
