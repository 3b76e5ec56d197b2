import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** One bash for a whole document, so that later blocks see the variables of earlier ones. The first failing command ends it. */
export interface Shell {
  /** Resolves to the block's output. Rejects with all output when a command fails. */
  run(text: string): Promise<string>
  /** Ends the shell and everything that its blocks left running. */
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
    // The shell has exited, which `ended` reports.
  })
  child.stdin.write('set -euo pipefail\n')
  return {
    async run(text) {
      output = errors = ''
      const mark = `end of block ${randomBytes(8).toString('hex')}`
      const done = new Promise<boolean>((resolve) => (checkDone = () => output.includes(mark) && resolve(true)))
      // The group has no input so that a command cannot consume the following blocks.
      child.stdin.write(`{\n${text}\n} < /dev/null\necho; echo '${mark}'\n`)
      const isDone = await Promise.race([done, ended.then(() => false)])
      if (!isDone) throw new Error(`The shell ended.\n${output}\n${errors}`)
      return output.slice(0, output.indexOf(mark))
    },
    async close() {
      try {
        process.kill(-child.pid!, 'SIGTERM')
      } catch {
        // The whole group has already exited.
      }
      await ended
    },
  }
}
