import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { removePostgres, startPostgres } from '../../local/postgres.ts'
import { migrate } from '../../server/database/migrate.ts'
import { whenReachable } from '../../server/database/unreachable.ts'

test('behavior: a service that starts before its database waits for it, and migrates it then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'till-late-database-'))
  try {
    const first = await startPostgres({ folder, fast: true })
    await first.stop()
    const failures: unknown[] = []
    let restarted: Promise<unknown> | undefined
    await whenReachable(
      () => migrate(first.url),
      (error) => {
        failures.push(error)
        restarted ??= startPostgres({ folder, fast: true, port: Number(new URL(first.url).port) })
      },
    )
    await restarted
    expect(failures.length).toBeGreaterThan(0)
    const sql = postgres(first.url, { max: 1 })
    expect(await sql`select count(*)::int as count from orders`).toEqual([{ count: 0 }])
    await sql.end()
  } finally {
    await removePostgres(folder)
    rmSync(folder, { recursive: true, force: true })
  }
})

test('error: what is not the reach of the database is not repeated', async () => {
  let calls = 0
  const failing = whenReachable(
    () => {
      calls++
      return Promise.reject(new Error('a bug'))
    },
    () => undefined,
  )
  await expect(failing).rejects.toThrow('a bug')
  expect(calls).toBe(1)
})
