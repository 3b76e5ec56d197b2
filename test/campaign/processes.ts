import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../support/service/free-port.ts'

/** A service process that can be killed and restarted on the same port. */
export interface ServiceProcess {
  readonly port: number
  /** Its combined output over all restarts. */
  output(): string
  /** How often it exited without a stop. */
  deaths(): number
  /** Kills it without a chance to clean up. A start must follow. */
  kill9(): Promise<void>
  start(): Promise<void>
  /** Shifts its clock from the machine's. A restart resets the shift. */
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
    /** Two faults may restart a killed process at the same time, and only one start may happen. */
    start: () => (child ? started : (started = start())),
    shiftClock: (clockOffsetMs) => void child?.send({ clockOffsetMs }),
    stop: () => end('SIGTERM'),
  }
  async function start(): Promise<void> {
    const begun = fork(entry, [dist], {
      // The test runner's loader must not reach the service.
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
