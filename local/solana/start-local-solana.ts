import { mkdirSync } from 'node:fs'
import type { Address } from '@solana/kit'
import type { ChainId } from '../../src/wire/chain.ts'
import type { SolanaConfig } from '../../server/chains/solana/solana-config.ts'
import { tokenAccount } from '../../server/chains/solana/token-account.ts'
import { parseChainTable } from '../../server/chains/table.ts'
import { solanaFeeCollector, solanaMerchant, solanaOperator, solanaSeed, type SolanaWallet, solanaWallets } from './accounts.ts'
import { startSolanaNode, type SolanaNode } from './start-solana-node.ts'
import { createToken, localMint, localTokens, makeTokens } from './tokens.ts'
import { tokenBalance } from './token-balance.ts'

/** It has the id of the public cluster. Solana's addresses do not say on which cluster they are. */
export const solanaChainId = 30_000_000_000_001 satisfies ChainId

export interface LocalSolana {
  readonly config: SolanaConfig
  readonly chain: SolanaFixture
  readonly wallets: readonly SolanaWallet[]
  readonly node: SolanaNode
  stop(): Promise<void>
}

export interface SolanaFixture {
  readonly chain_id: number
  readonly family: 'solana'
  readonly rpc_url: string
  readonly ws_url: string
  readonly tokens: readonly { symbol: string; address: string | null; decimals: number; eip3009: false }[]
}

export interface LocalSolanaOptions {
  /** With a folder the chain survives a restart. */
  readonly folder?: string
  readonly port?: number
  readonly slots: { readonly ms: number } | 'manual'
  /** A block is final once so many follow it. */
  readonly finalAfter?: number
  readonly pollMs?: number
  readonly addressesAhead?: number
}

/** On the public cluster a block is final once so many follow it. */
const usualFinality = 31

export async function startLocalSolana(options: LocalSolanaOptions): Promise<LocalSolana> {
  const { folder, port, slots, finalAfter = usualFinality } = options
  if (folder) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const node = await startSolanaNode({ slots, finalAfter, ...(folder && { folder }), ...(port !== undefined && { port }) })
  try {
    await fund(node)
  } catch (error) {
    await node.stop()
    throw error
  }
  const config = configure(node, options, finalAfter)
  return {
    config,
    chain: {
      chain_id: config.chainId,
      family: 'solana',
      rpc_url: node.url,
      ws_url: node.wsUrl,
      tokens: config.tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals, eip3009: false })),
    },
    wallets: solanaWallets,
    node,
    stop: node.stop,
  }
}

const sol = 1_000_000_000n
const tokensOfWallet = 100_000_000_000n

/** Gives everybody what he lacks, also after a restart. The merchant and the fee collector have accounts, as after their first order. */
async function fund({ ledger, faucet }: SolanaNode): Promise<void> {
  for (const token of localTokens) await createToken(ledger, faucet, token)
  const wanted: readonly (readonly [Address, bigint, bigint])[] = [
    [solanaOperator.address, 100n * sol, 0n],
    [solanaMerchant, sol, 1n],
    [solanaFeeCollector, sol, 1n],
    ...solanaWallets.map(({ address }) => [address, 100n * sol, tokensOfWallet] as const),
  ]
  for (const [address, coins, tokens] of wanted) {
    const has = ledger.account(address, 'processed')?.lamports ?? 0n
    if (has < coins / 2n) await faucet.pay(address, coins - has)
    for (const token of localTokens) {
      const mint = localMint(token.address)
      const account = ledger.account(await tokenAccount(address, mint), 'processed')
      const held = tokenBalance(account, (of) => ledger.account(of, 'processed'))?.amount ?? 0n
      if (held < (tokens + 1n) / 2n) await makeTokens(ledger, faucet, mint, address, tokens - held)
    }
  }
  ledger.advance(1)
}

function configure(
  { url, wsUrl }: SolanaNode,
  { slots, pollMs = 100, addressesAhead = 200 }: LocalSolanaOptions,
  finalAfter: number,
): SolanaConfig {
  const entry = {
    chain_id: solanaChainId,
    network: 'local',
    rpc_url: url,
    ws_url: wsUrl,
    tokens: [...localTokens, { address: null, symbol: 'SOL', name: 'Solana', decimals: 9 }],
    account: { seed_env: 'SEED', operator_env: 'OPERATOR' },
    addresses_ahead: addressesAhead,
    poll_ms: pollMs,
  }
  const [config] = parseChainTable({ chains: [entry] }, { SEED: solanaSeed, OPERATOR: solanaOperator.private_key })
  if (config?.family !== 'solana') throw new Error('the table of the local chain has no Solana chain')
  return { ...config, confirmations: finalAfter + 1, ...(slots !== 'manual' && { slotSeconds: slots.ms / 1000 }) }
}
