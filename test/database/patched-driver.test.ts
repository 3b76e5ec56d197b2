import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { patchPostgres } from '../../check/patch-postgres.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'

/** The driver as it is patched for the build and for tests, against a server that ends connections. */

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase({ migrated: false })
})
afterAll(async () => {
  await database?.drop()
})

test('behavior: connections lost inside transactions each report an error, and all of them reconnect', async () => {
  const sql = postgres(database.url, { max: 4, connect_timeout: 2, onnotice: () => undefined })
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

test('behavior: after a query that failed half-way, and one whose connection was lost, the next has all of its rows', async () => {
  const sql = postgres(database.url, { max: 1, fetch_types: false, onnotice: () => undefined })
  const failing = {
    'it fails': () => sql`select 1 / (1000 - i) from generate_series(1, 2000) i`,
    'its connection is lost': () =>
      sql`select case when i = 1000 then pg_terminate_backend(pg_backend_pid()) end, repeat('x', 100) from generate_series(1, 2000) i`,
  }
  for (const [name, fail] of Object.entries(failing)) {
    await expect(fail(), name).rejects.toThrow()
    // A connection may be reused just before it closes and then reports the error too.
    const rows = await until(() => sql`select i from generate_series(1, 3) i`)
    expect([...rows], name).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }])
  }
  await sql.end({ timeout: 1 })
})

test('behavior: a connection that the server ended with an error fails its own query, and not the first of the next connection', async () => {
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  for (let round = 0; round < 3; round++) {
    await expect(sql`select pg_terminate_backend(pg_backend_pid())`).rejects.toThrow('CONNECTION_CLOSED')
    expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
  }
  await sql.end({ timeout: 1 })
})

test('behavior: the server goes away while a new connection reads its types: the query says so, and nothing is left uncaught', async () => {
  const { hostname, port } = new URL(database.url)
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.on('error', () => undefined).on('close', () => server.destroy())
    server.on('error', () => undefined).pipe(client)
    client.on('data', (bytes: Buffer) => {
      if (!bytes.includes('pg_catalog.pg_type')) return server.write(bytes)
      proxy.close()
      return client.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(database.url)
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const uncaught: unknown[] = []
  const record = (error: unknown) => void uncaught.push(error)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', record)
  onTestFinished(() => {
    process.off('unhandledRejection', record)
    for (const other of others) process.on('unhandledRejection', other)
  })
  const sql = postgres(url.href, { connect_timeout: 30 })
  await expect(sql`select 1`).rejects.toThrow('ECONNREFUSED')
  await sql.end({ timeout: 1 })
  expect(uncaught).toEqual([])
})

test('error: another release of the driver stops the build', () => {
  expect(() => patchPostgres('export default {}')).toThrow('postgres.js has changed')
})
