import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** Reads the inspector URL from the stderr of a process that was started with --inspect, and passes its other output on. */
export const inspectorOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString()
      const url = /Debugger listening on (ws:\S+)/.exec(text)?.[1]
      if (url) resolve(url)
      else if (!/^(For help|Debugger)/.test(text)) process.stderr.write(text)
    })
  })

/** Returns a process's resident memory in KiB. It forces garbage collection first, so that garbage does not hide what was added. */
export async function memoryOf(pid: number, inspector: string): Promise<number> {
  const socket = new WebSocket(inspector)
  await new Promise((resolve) => socket.once('open', resolve))
  for (let id = 1; id <= 3; id++) {
    const done = new Promise((resolve) => socket.once('message', resolve))
    socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }))
    await done
    await sleep(500)
  }
  socket.close()
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
