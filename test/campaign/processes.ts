import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../support/service/free-port.ts'

/** One process of the service that may be killed and comes back on the same port. */
export interface ServiceProcess {
  readonly port: number
  /** What it wrote so far, in all its lives. */
  output(): string
  /** How often it ended without being told to. */
  deaths(): number
  /** As a power cut would, and the start that follows. */
  kill9(): Promise<void>
  start(): Promise<void>
  /** Moves its clock away from the machine's; it comes back to life with the right one. */
  shiftClock(offsetMs: number): void
  stop(): Promise<void>
}

export async function createProcess(
  entry: string,
  dist: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServiceProcess> {
  const port = await freePort()
  let child: ChildProcess | undefined
  let started = Promise.resolve()
  let output = ''
  let deaths = 0
  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    await ended
  }
  return {
    port,
    output: () => output,
    deaths: () => deaths,
    kill9: () => end('SIGKILL'),
    /** Two faults may have killed it, and both start it again: it lives once. */
    start: () => (child ? started : (started = start())),
    shiftClock: (clockOffsetMs) => void child?.send({ clockOffsetMs }),
    stop: () => end('SIGTERM'),
  }
  async function start(): Promise<void> {
    const begun = fork(entry, [dist], {
      // A runner's loader is not for the service.
      execArgv: ['--enable-source-maps'],
      env: { ...process.env, NODE_ENV: 'production', VITEST: undefined, HOST: '127.0.0.1', PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = begun
    begun.once('exit', () => (deaths += child === begun ? 1 : 0))
    for (const stream of [begun.stdout, begun.stderr]) stream?.on('data', (bytes: Buffer) => (output += bytes.toString()))
    const [firstMessage] = (await Promise.race([once(begun, 'message'), once(begun, 'exit')])) as unknown[]
    if (firstMessage !== 'ready') throw new Error(`a process of the service did not start:\n${output.slice(-4_000)}`)
  }
}
