import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { recordChild, stopOrphans } from '../chains/orphans.ts'
import { createBitcoinRpc } from './bitcoin-rpc.ts'

export interface Bitcoind {
  /** The URL of its JSON-RPC, with credentials. */
  readonly url: string
  stop(): Promise<void>
  /** Kills it without a chance to clean up. */
  kill(): Promise<void>
}

const patienceMs = 30_000

/** Starts a real node's program on a regtest chain without peers and without a wallet. Without a folder its data is removed when it stops. */
export async function startBitcoind({ program, folder }: { readonly program: string; readonly folder?: string }): Promise<Bitcoind> {
  const home = folder ?? mkdtempSync(join(tmpdir(), 'till-bitcoind-'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  await stopOrphans()
  const port = await freePort()
  const options = `-regtest -datadir=${home} -rpcport=${port} -server=1 -listen=0 -disablewallet -prune=0 -acceptnonstdtxn=0 -printtoconsole=0`
  const child = spawn(program, options.split(' '), {
    // Ctrl-C must reach only us, and we stop it after the service.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = Promise.race([once(child, 'error'), once(child, 'exit')])
  const forget = child.pid === undefined ? () => {} : recordChild(child.pid)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
    forget()
    if (!folder) rmSync(home, { recursive: true, force: true })
  }
  try {
    const url = await Promise.race([ready(home, port), failure(child, ended)])
    return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
}

async function failure(child: ChildProcess, ended: Promise<unknown[]>): Promise<never> {
  let output = ''
  child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [reason] = await ended
  const why = reason instanceof Error ? reason.message : output.trim()
  throw new Error(`bitcoind did not start: ${why}`, { cause: reason })
}

/** The node writes its credentials into a file, and answers once it has loaded its chain. */
async function ready(home: string, port: number): Promise<string> {
  let last: unknown
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
    try {
      const credentials = readFileSync(join(home, 'regtest', '.cookie'), 'utf8')
      const url = `http://${credentials}@127.0.0.1:${port}`
      await createBitcoinRpc(url).call('getblockcount', [], z.number())
      return url
    } catch (error) {
      last = error
    }
  }
  throw new Error(`bitcoind did not answer within ${patienceMs / 1000} s`, { cause: last })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  server.close()
  await once(server, 'close')
  return port
}
