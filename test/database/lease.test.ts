import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLease } from '../../server/database/lease.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase({ migrated: false })
})
afterAll(() => database?.drop())

const signal = new AbortController().signal
const lease = (work: (lost: AbortSignal) => Promise<void>, given = signal) =>
  withLease(database.sql, 'a lease', { retryMs: 10, signal: given }, work)

test('error: an error of the work reaches the caller', async () => {
  await expect(lease(() => Promise.reject(new Error('the chain is away')))).rejects.toThrow('the chain is away')
})

test('behavior: an abort of the work by the caller’s own signal is not an error', async () => {
  const stopping = new AbortController()
  await lease(async (lost) => {
    stopping.abort()
    lost.throwIfAborted()
  }, stopping.signal)
})

test('behavior: a lost connection aborts the work, and another process can take the lease', async () => {
  await lease(async (lost) => {
    // Other databases on the same server have leases of their own, which must survive.
    await database.sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    await until(() => lost.aborted)
  })
  let held = false
  await lease(async () => void (held = true))
  expect(held).toBe(true)
})
