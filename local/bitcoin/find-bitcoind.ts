import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import * as z from 'zod'
import { createBitcoinRpc, type BitcoinRpc } from './bitcoin-rpc.ts'
import { startBitcoind } from './start-bitcoind.ts'
import { startBitcoinNode } from './start-bitcoin-node.ts'

export interface BitcoinNode {
  /** What it calls itself, as in `/Satoshi:29.0.0/`. */
  readonly name: string
  readonly version: number
  readonly url: string
  readonly rpc: BitcoinRpc
  /** Stops the node if it was started here. */
  stop(): Promise<void>
}

/** Where a Bitcoin node comes from. */
export type Source =
  | { readonly is: 'running'; readonly url: string }
  | { readonly is: 'program'; readonly program: string }
  | { readonly is: 'ours' }

/** Returns the first of: the running node of `TILL_BITCOIND_RPC`, the program of `TILL_BITCOIND`, `bitcoind` on the PATH, our own node. */
export function sourceOf(env: Readonly<Record<string, string | undefined>>): Source {
  if (env.TILL_BITCOIND_RPC) return { is: 'running', url: env.TILL_BITCOIND_RPC }
  const program = env.TILL_BITCOIND || onPath(env.PATH ?? '')
  return program ? { is: 'program', program } : { is: 'ours' }
}

function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'bitcoind'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** Starts the Bitcoin node that the environment names, or connects to it. */
export async function findBitcoind(
  env: Readonly<Record<string, string | undefined>>,
  { folder }: { readonly folder?: string } = {},
): Promise<BitcoinNode> {
  const source = sourceOf(env)
  switch (source.is) {
    case 'running':
      return connect({ url: source.url, stop: async () => {} })
    case 'program':
      return connect(await startBitcoind({ program: source.program, folder }))
    case 'ours':
      return connect(await startBitcoinNode({ folder }))
  }
}

/** Asks a node who it is, and refuses any chain on which coins are worth something. */
export async function connect({ url, stop }: Pick<BitcoinNode, 'url' | 'stop'>): Promise<BitcoinNode> {
  const rpc = createBitcoinRpc(url)
  try {
    const { chain } = await rpc.call('getblockchaininfo', [], z.object({ chain: z.string() }))
    if (chain !== 'regtest') throw new Error(`The Bitcoin node is on the chain "${chain}", and local mode uses only "regtest".`)
    const network = z.object({ version: z.number(), subversion: z.string() })
    const { version, subversion } = await rpc.call('getnetworkinfo', [], network)
    return { name: subversion, version, url, rpc, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
