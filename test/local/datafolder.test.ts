import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { DataFolderBusy, openDataFolder } from '../../local/datafolder.ts'
import { formatPid, identify, isAlive, type Pid } from '../../local/pids.ts'
import { until } from '../support/wait.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'till-folder-'))
  return () => rmSync(folder, { recursive: true, force: true })
})

async function sleeper(): Promise<Pid> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return until(() => identify(child.pid!))
}

test('default: opened, released, opened again', async () => {
  const first = await openDataFolder(folder)
  first.release()
  const second = await openDataFolder(folder)
  second.release()
  expect(readdirSync(folder)).toEqual(['pids'])
})

test('error: a second instance is refused with one sentence', async () => {
  const other = await sleeper()
  writeFileSync(join(folder, 'lock'), formatPid(other))
  await expect(openDataFolder(folder)).rejects.toThrow(DataFolderBusy)
  await expect(openDataFolder(folder)).rejects.toThrow(`(process ${other.pid})`)
  expect(readdirSync(folder)).not.toContain(`lock.${process.pid}`)
})

test('error: the same process cannot open it twice', async () => {
  const open = await openDataFolder(folder)
  await expect(openDataFolder(folder)).rejects.toThrow(DataFolderBusy)
  open.release()
})

test('behavior: the lock of a dead process is taken over, also when another process has its pid', async () => {
  const unrelated = await sleeper()
  writeFileSync(join(folder, 'lock'), formatPid({ pid: unrelated.pid, since: '1@another-boot' }))
  const open = await openDataFolder(folder)
  open.release()
  expect(isAlive(unrelated)).toBe(true)
})

test('behavior: a truncated lock is stale', async () => {
  writeFileSync(join(folder, 'lock'), '12')
  const open = await openDataFolder(folder)
  open.release()
})

test('behavior: children of a killed process are stopped by the next instance, unrelated processes are not', async () => {
  const [child, unrelated] = [await sleeper(), await sleeper()]
  const crashed = await openDataFolder(folder)
  crashed.child('chain-1', child.pid)
  writeFileSync(join(folder, 'pids', 'chain-2'), formatPid({ pid: unrelated.pid, since: '1@another-boot' }))
  crashed.release()
  const next = await openDataFolder(folder)
  next.release()
  expect([isAlive(child), isAlive(unrelated)]).toEqual([false, true])
  expect(readdirSync(join(folder, 'pids'))).toEqual([])
})
