import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { commandOf, identify, recordedPid, recordPid, stopPid } from '../pids.ts'

const programs = ['anvil', 'bitcoind']

/** Every chain is recorded under the process that started it. If that process is killed, the next start of any chain stops what it left. */
function folder() {
  const path = join(tmpdir(), `till-anvil-${userInfo().uid}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

function parentName(pid: number) {
  const parent = identify(pid)
  return parent && `${parent.pid} ${parent.since.replaceAll('/', '')}`
}

/** Records a child process. The returned function removes the record. */
export function recordChild(pid: number): () => void {
  const file = join(folder(), `${parentName(process.pid)} ${pid}`)
  recordPid(file, pid)
  return () => rmSync(file, { force: true })
}

export async function stopOrphans(): Promise<void> {
  const noted = readdirSync(folder()).filter((name) => !name.startsWith(`${parentName(Number.parseInt(name, 10))} `))
  await Promise.all(
    noted.map(async (name) => {
      const file = join(folder(), name)
      const child = recordedPid(file)
      if (child && programs.some((program) => commandOf(child.pid).includes(program))) await stopPid(child)
      rmSync(file, { force: true })
    }),
  )
}
