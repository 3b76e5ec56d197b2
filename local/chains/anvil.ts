import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { once } from 'node:events'
import * as z from 'zod'
import { createRpc, type Rpc } from '../../server/chains/evm/rpc.ts'
import { identify, isAlive, recordedPid, recordPid, stopPid } from '../pids.ts'
import { recordChild, stopOrphans } from './orphans.ts'

export interface Anvil {
  readonly chainId: number
  readonly pid: number
  readonly rpcUrl: string
  readonly wsUrl: string
  readonly rpc: Rpc
  /** Calls anvil's own methods (evm_*, anvil_*), all in one request. */
  ask(...calls: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<unknown[]>
  stop(): Promise<void>
}

export interface AnvilOptions {
  readonly chainId: number
  readonly port?: number
  /** The pid is stored in this file, so that the next start stops what a crash of ours left running. */
  readonly pidFile?: string
  /** A reorganisation can remove this many blocks. Otherwise anvil moves older states to disk, and what it reads from there has no code. */
  readonly rewindable?: number
}

export async function startAnvil({ chainId, port = 0, pidFile, rewindable }: AnvilOptions): Promise<Anvil> {
  const leftover = pidFile && recordedPid(pidFile)
  if (leftover) await stopPid(leftover)
  await stopOrphans()
  // The process gets a session of its own, so that Ctrl-C reaches only us, and we stop it once its state is written.
  const history = rewindable === undefined ? '' : ` --prune-history ${rewindable}`
  const child = spawn(binary(), `--host 127.0.0.1 --port ${port} --chain-id ${chainId} --no-mining --accounts 0${history}`.split(' '), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await listening(child)
  const { pid } = child as { pid: number }
  const known = identify(pid)
  if (pidFile) recordPid(pidFile, pid)
  const forget = recordChild(pid)
  const rpc = createRpc(chainId, [`http://${address}`], 30_000)
  const never = new AbortController().signal
  return {
    chainId,
    pid,
    rpc,
    rpcUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    ask: (...calls) => rpc.read(never, ...calls.map(([method, ...params]) => ({ method, params, answer: z.unknown() }))),
    stop: async () => {
      if (known && isAlive(known)) await stopPid(known)
      forget()
    },
  }
}

function binary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'anvil')
  } catch (cause) {
    throw new Error(`The local chains need the package ${name}, which is not installed: local mode runs on Linux (x64, arm64).`, { cause })
  }
}

/** Waits until anvil prints the address that it listens on. Later output is drained, or anvil would block on a full pipe. */
async function listening(child: ChildProcess): Promise<string> {
  let output = ''
  const found = new Promise<string>((resolve) => {
    const onOutput = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /Listening on (\S+)/.exec(output)?.[1]
      if (!address) return
      child.stdout!.off('data', onOutput).resume()
      resolve(address)
    }
    child.stdout!.on('data', onOutput)
    child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()))
  })
  const failed = Promise.race([once(child, 'error'), once(child, 'exit')]).then(([reason]) => {
    throw new Error(`anvil did not start: ${reason instanceof Error ? reason.message : output.trim()}`, { cause: reason })
  })
  const address = await Promise.race([found, failed])
  failed.catch(() => {
    // If the process ends later, its callers will notice then.
  })
  child.stderr!.removeAllListeners('data').resume()
  return address
}
