import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDataFolder } from '../../../local/datafolder.ts'
import { removePostgres } from '../../../local/postgres.ts'
import { builtDist } from './build.ts'

export interface Service {
  /** The `{pay_url}` that the service printed. */
  readonly payUrl: string
  readonly baseUrl: string
  readonly pid: number
  readonly dataFolder: string
  /** Its combined output so far. */
  output(): string
  /** Sends SIGTERM and resolves to the exit code, which is 0 after a clean stop. */
  stop(): Promise<number | null>
  /** Kills it without a chance to clean up. The data folder stays. */
  kill9(): Promise<void>
  /** Stops it if necessary, and removes the data folder if it was created here. */
  close(): Promise<void>
}

export interface ServiceOptions {
  /** Variables to add to this process's environment, or to remove when undefined. */
  readonly env?: Record<string, string | undefined>
  /** An existing data folder to continue with after kill9(). */
  readonly dataFolder?: string
  readonly timeout?: number
}

/** With blocks this far apart a payment is seen before it is final also on a busy machine, so that it is always confirming in between. */
export const unhurried = { TILL_BLOCK_MS: '1500' }

/** Starts the built service as a process on a free port with its own data folder. */
export async function startService({ env, dataFolder, timeout = 120_000 }: ServiceOptions = {}): Promise<Service> {
  const dist = await builtDist()
  const folder = dataFolder ?? makeFolder()
  const child = spawn(process.execPath, ['--enable-source-maps', join(dist, 'server/main.js')], {
    env: {
      ...process.env,
      ...unconfigured,
      NODE_ENV: 'production',
      VITEST: undefined,
      TILL_DATA: folder,
      PORT: '0',
      TILL_BLOCK_MS: '400',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let isReady = false
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        output += `${line}\n`
        const found = /^ready (https?:\S+)/.exec(line)
        if (!found) return
        isReady = true
        resolve(found[1]!)
      })
    }
  })

  let isAsked = false
  void ended.then((code) => {
    // A test then only sees that nobody answers, so what the service said last is the only trace of the cause.
    if (!isAsked && isReady) console.error(`The service ended by itself (${code ?? child.signalCode}):\n${output.slice(-4_000)}`)
  })
  const kill = async (signal: NodeJS.Signals) => {
    isAsked = true
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return ended
  }
  const close = async () => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), 60_000)
    await kill('SIGTERM')
    clearTimeout(deadline)
    if (dataFolder) return
    // Opening the folder stops what a killed service left running.
    const left = await openDataFolder(folder)
    left.release()
    await removePostgres(join(folder, 'postgres'))
    rmSync(folder, { recursive: true, force: true })
  }

  const payUrl = await Promise.race([
    ready,
    ended.then((code) => `ended with ${code}`),
    new Promise<string>((resolve) => setTimeout(resolve, timeout, `not ready after ${timeout} ms`).unref()),
  ])
  if (!payUrl.startsWith('http')) {
    await close()
    throw new Error(`The service did not start (${payUrl}):\n${output.slice(-4_000)}`)
  }
  return {
    payUrl,
    baseUrl: `${payUrl}/v3`,
    pid: child.pid!,
    dataFolder: folder,
    output: () => output,
    stop: () => kill('SIGTERM'),
    kill9: async () => void (await kill('SIGKILL')),
    close,
  }
}

/** The test runner sets BASE_URL itself, and a developer's shell may set the others. */
const unconfigured = { BASE_URL: undefined, API_KEY: undefined, API_SECRET: undefined, DATABASE_URL: undefined, TILL_CHAINS: undefined }

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'till-data-'))
  chmodSync(folder, 0o711)
  return folder
}
