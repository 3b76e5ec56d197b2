import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { BitcoinConfig } from '../../server/chains/bitcoin/bitcoin-config.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import { parseChainTable } from '../../server/chains/table.ts'
import { createMutex, type Mutex } from '../chains/mutex.ts'
import { bitcoinOperator, bitcoinWallets, type BitcoinWallet } from './accounts.ts'
import { Amount, type BitcoinRpc } from './bitcoin-rpc.ts'
import { createFaucet, type Faucet } from './faucet.ts'
import { type BitcoinNode, findBitcoind } from './find-bitcoind.ts'
import { mineBlocks } from './miner.ts'

/** It has the id of the public chain, and its addresses say that it is a local one. */
export const bitcoinChainId = 20_000_000_000_001 satisfies ChainId

export interface LocalBitcoin {
  readonly config: BitcoinConfig
  readonly chain: BitcoinFixture
  readonly wallets: readonly BitcoinWallet[]
  /** What the node calls itself. */
  readonly name: string
  readonly rpc: BitcoinRpc
  readonly faucet: Faucet
  /** The miner waits while a caller's callback runs in this mutex, so the caller can mine blocks by hand. */
  readonly mutex: Mutex
  /** Rejects when mining fails. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

export interface BitcoinFixture {
  readonly chain_id: number
  readonly family: 'bitcoin'
  /** With credentials. */
  readonly rpc_url: string
  readonly tokens: readonly { symbol: string; address: null; decimals: number; eip3009: false }[]
}

export interface LocalBitcoinOptions {
  /** Says which node runs: see `sourceOf`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** With a folder the chain survives a restart. */
  readonly folder?: string
  /** Blocks are mined this often while there is work, or only when the caller asks for one. */
  readonly mining: { readonly blockMs: number } | 'manual'
  readonly confirmations?: number
  readonly replaceAfterMs?: number
}

export async function startLocalBitcoin(options: LocalBitcoinOptions): Promise<LocalBitcoin> {
  const { env, folder, mining } = options
  if (folder) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const node = await findBitcoind(env, { folder })
  const { rpc, name } = node
  const mutex = createMutex()
  const stopping = new AbortController()
  let faucet: Faucet
  try {
    faucet = await createFaucet(rpc)
    if (folder) await checkChain(rpc, join(folder, 'first-block'))
    await fund(rpc, faucet, bitcoinWallets)
  } catch (error) {
    await node.stop()
    throw error
  }
  const worker =
    mining === 'manual' ? Promise.resolve() : mineBlocks({ rpc, faucet, blockMs: mining.blockMs, mutex, signal: stopping.signal })
  const failed = new Promise<never>((_, reject) => worker.catch(reject))
  failed.catch(() => {
    // Callers that care await `failed`. For the others the rejection must not end the process.
  })
  const config = configure(node, options)
  return {
    config,
    chain: {
      chain_id: config.chainId,
      family: 'bitcoin',
      rpc_url: node.url,
      tokens: config.tokens.map(({ symbol, decimals }) => ({ symbol, address: null, decimals, eip3009: false })),
    },
    wallets: bitcoinWallets,
    name,
    rpc,
    faucet,
    mutex,
    failed,
    async stop() {
      stopping.abort()
      // `failed` has reported why mining failed.
      await worker.catch(() => undefined)
      await node.stop()
    },
  }
}

/** The first block says which chain it is, because all local chains begin with the same block 0. */
async function checkChain(rpc: BitcoinRpc, file: string): Promise<void> {
  const first = await rpc.call('getblockhash', [1], z.string())
  if (!existsSync(file)) return writeFileSync(file, first, { mode: 0o600 })
  if (readFileSync(file, 'utf8').trim() !== first)
    throw new Error(
      'The Bitcoin node has another chain than the one with which this data folder was made: start with the same node, or set TILL_DATA to a new folder.',
    )
}

const coin = 100_000_000n
const coinsOfWallet = 4
const Scan = z.object({ unspents: z.array(z.object({ amount: Amount })) })

/** Several coins each let a wallet pay several times within a block. What was spent is given again at the next start. */
async function fund(rpc: BitcoinRpc, faucet: Faucet, wallets: readonly BitcoinWallet[]): Promise<void> {
  let isPaid = false
  for (const { address } of wallets) {
    const { unspents } = await rpc.call('scantxoutset', ['start', [`addr(${address})`]], Scan)
    const whole = unspents.filter(({ amount }) => amount >= coin).length
    for (let i = whole; i < coinsOfWallet; i++) {
      await faucet.pay(address, coin)
      isPaid = true
    }
  }
  if (isPaid) await faucet.mine(1)
}

function configure(
  { url }: BitcoinNode,
  { confirmations = 2, replaceAfterMs = 10_000, mining }: Pick<LocalBitcoinOptions, 'confirmations' | 'replaceAfterMs' | 'mining'>,
): BitcoinConfig {
  const entry = {
    chain_id: bitcoinChainId,
    network: 'local',
    nodes: [{ rpc_url: url }],
    account: { env: 'ACCOUNT' },
    confirmations: [{ blocks: confirmations }],
    block_seconds: mining === 'manual' ? 1 : mining.blockMs / 1000,
    poll_ms: 100,
    replace_after_ms: replaceAfterMs,
  }
  const [config] = parseChainTable({ chains: [entry] }, { ACCOUNT: bitcoinOperator.private_key })
  if (config?.family !== 'bitcoin') throw new Error('the table of the local chain has no Bitcoin chain')
  return config
}
