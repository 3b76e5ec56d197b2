import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { beforeEach, expect, test } from 'vitest'
import { identify, isAlive } from '../../local/pids.ts'
import { removePostgres, startPostgres } from '../../local/postgres.ts'
import { root } from '../support/root.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'till-postgres-'))
  chmodSync(folder, 0o711)
  return () => removePostgres(folder)
})

async function ask<T>(url: string, question: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await question(sql)
  } finally {
    await sql.end()
  }
}

test('default: starts, persists data, stops', async () => {
  const first = await startPostgres({ folder })
  await ask(first.url, (sql) => sql`create table t as select 'schön' as word`)
  await first.stop()
  expect(identify(first.pid)).toBeUndefined()

  const second = await startPostgres({ folder })
  expect(await ask(second.url, (sql) => sql`select upper(word) as word, current_setting('fsync') as fsync from t`)).toEqual([
    { word: 'SCHÖN', fsync: 'on' },
  ])
  await second.stop()
})

test('behavior: only this machine can connect, and only with the password', async () => {
  const server = await startPostgres({ folder, fast: true })
  const url = new URL(server.url)
  const [{ listen }] = await ask(server.url, (sql) => sql<[{ listen: string }]>`select current_setting('listen_addresses') as listen`)
  expect(listen).toBe('127.0.0.1')
  url.password = 'wrong'
  await expect(ask(url.href, (sql) => sql`select 1`)).rejects.toThrow('password authentication failed')
  expect(statSync(join(server.home, 'password')).mode & 0o777).toBe(0o600)
  expect(statSync(join(server.home, 'data')).mode & 0o777).toBe(0o700)
  await server.stop()
})

test('behavior: after kill -9 of its parent the next start stops the old server and finds the data', async () => {
  const script = `
    import { startPostgres } from './local/postgres.ts'
    const { pid } = await startPostgres({ folder: process.argv[1], fast: true })
    console.log(pid)
    process.kill(process.pid, 'SIGKILL')`
  const pid = await new Promise<number>((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, folder], { cwd: root })
    child.stdout.once('data', (line) => resolve(Number(line)))
  })
  const orphan = identify(pid)!
  expect(isAlive(orphan)).toBe(true)
  const next = await startPostgres({ folder, fast: true })
  expect(isAlive(orphan)).toBe(false)
  expect(await ask(next.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  await next.stop()
})

test('behavior: after kill -9 of the server itself it starts again', async () => {
  const first = await startPostgres({ folder })
  process.kill(first.pid, 'SIGKILL')
  const next = await startPostgres({ folder })
  await next.stop()
})

test.runIf(process.getuid?.() === 0)(
  'behavior: when root starts it with a private data folder, the cluster lives where its own user can read',
  async () => {
    chmodSync(folder, 0o700)
    const lines: string[] = []
    const server = await startPostgres({ folder: join(folder, 'postgres'), fast: true, log: (line) => lines.push(line) })
    expect(server.home).toMatch(/^\/var\/tmp\/till-[0-9a-f]{12}$/)
    expect(lines.join()).toContain(server.home)
    expect(statSync(`/proc/${server.pid}`).uid).not.toBe(0)
    await removePostgres(join(folder, 'postgres'))
    expect(() => statSync(server.home)).toThrow('ENOENT')
  },
)
