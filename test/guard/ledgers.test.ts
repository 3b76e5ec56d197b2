import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { databaseLedger } from '../../server/guard/database-ledger.ts'
import { fileLedger } from '../../server/guard/file-ledger.ts'
import { guardLedgerContract } from '../contracts/guard-ledger.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { entry, rules } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'till-guard-'))
let files = 0
const opened: { close(): Promise<void> }[] = []
async function openLedger(path: string) {
  const ledger = await fileLedger(path)
  opened.push(ledger)
  return ledger
}
const nextFile = () => join(folder, `ledger-${++files}.jsonl`)
let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(async () => {
  await database.drop()
  await Promise.all(opened.map((ledger) => ledger.close()))
  rmSync(folder, { recursive: true })
})

guardLedgerContract('file', {
  create: () => openLedger(nextFile()),
  reopen: () => openLedger(join(folder, `ledger-${files}.jsonl`)),
  stop: async () => {},
})

guardLedgerContract('PostgreSQL', {
  create: async () => {
    await database.sql`truncate guard_moves`
    return databaseLedger(database.sql)
  },
  reopen: async () => databaseLedger(database.sql),
  stop: async () => {},
})

test('behavior: a line that a crash has cut off stands for nothing', async () => {
  const path = nextFile()
  await (await openLedger(path)).claim(entry(), rules.limits.surplus)
  const whole = readFileSync(path, 'utf8')
  appendFileSync(path, whole.slice(0, 40))
  const ledger = await openLedger(path)
  expect(readFileSync(path, 'utf8')).toBe(whole)
  expect(await ledger.claim(entry({ nonce: 2n }), rules.limits.surplus)).toBe('recorded')
  expect(await (await openLedger(path)).find(entry({ nonce: 2n }))).toBe(entry().move)
})

test('behavior: a new ledger and the folder that names it are on the disk before anything is signed', async () => {
  const handle = await open(folder, 'r')
  const synced: string[] = []
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push((await this.stat()).isDirectory() ? 'folder' : 'file')
  })
  await handle.close()
  await openLedger(nextFile())
  sync.mockRestore()
  expect(synced).toEqual(['file', 'folder'])
})

test('error: a ledger with a line that is none is not opened', async () => {
  const path = nextFile()
  await (await openLedger(path)).claim(entry(), rules.limits.surplus)
  appendFileSync(path, '{"chain":8453}\n')
  await expect(fileLedger(path)).rejects.toThrow('line 2 is not an entry')
})
