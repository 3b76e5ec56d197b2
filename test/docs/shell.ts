import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** One bash through a whole document: what a block sets, the next one has, as in a reader's terminal. The first failure ends it. */
export interface Shell {
  /** What the block wrote. Rejects with everything it said when a command fails. */
  run(text: string): Promise<string>
  /** With all that its blocks left running. */
  close(): Promise<void>
}

export function openShell(cwd: string, env: Readonly<Record<string, string>> = {}): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LANG: 'C.UTF-8', ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  let checkDone = () => {}
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    checkDone()
  })
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.stdin.on('error', () => {
    // It has ended, and `ended` says so.
  })
  child.stdin.write('set -euo pipefail\n')
  return {
    async run(text) {
      output = errors = ''
      const mark = `end of block ${randomBytes(8).toString('hex')}`
      const done = new Promise<boolean>((resolve) => (checkDone = () => output.includes(mark) && resolve(true)))
      // As one group: a command that reads its input must not eat the blocks that follow.
      child.stdin.write(`{\n${text}\n} < /dev/null\necho; echo '${mark}'\n`)
      const isDone = await Promise.race([done, ended.then(() => false)])
      if (!isDone) throw new Error(`The shell ended.\n${output}\n${errors}`)
      return output.slice(0, output.indexOf(mark))
    },
    async close() {
      try {
        process.kill(-child.pid!, 'SIGTERM')
      } catch {
        // All of it has ended already.
      }
      await ended
    },
  }
}
