import type { ChainId } from '../../../src/wire/chain.ts'
import type { Sourced, TokenRow } from './preset.ts'

/** What Till knows of a cluster before anybody configures it. An entry of the table of chains overrides its tokens. */
interface SolanaPreset {
  /** The hash of the first block, which no other cluster has. */
  readonly genesis: Sourced<{ readonly hash: string }>
  readonly tokens: readonly Sourced<TokenRow>[]
}

const coin = { address: null, symbol: 'SOL', name: 'Solana', decimals: 9, sources: ['x402-svm'] } as const satisfies Sourced<TokenRow>

const usdc = (address: string): Sourced<TokenRow> => ({
  address,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  peg: 'usd',
  sources: ['x402-svm'],
})

export const solanaPresets: Readonly<Partial<Record<ChainId, SolanaPreset>>> = {
  30000000000001: {
    genesis: { hash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', sources: ['solana-clusters', 'x402-svm'] },
    tokens: [usdc('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), coin],
  },
  30000000000101: {
    genesis: { hash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', sources: ['solana-clusters', 'x402-svm'] },
    tokens: [usdc('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'), coin],
  },
}

/** The time between slots, the slots until the cluster calls a block final, and what its programs charge are the same on every cluster. */
export const solanaFacts = {
  slotSeconds: 0.4,
  /** A vote that has been confirmed by so many others cannot be taken back. */
  confirmations: 32,
  /** The least that an account without data may have, in lamports. */
  leastCoins: 890_880n,
  /** What an account for a token costs whoever opens it. Whoever closes it gets it back. */
  tokenRent: 2_039_280n,
  /** An account of Token-2022 has an extension, which says that its owner never changes. */
  token2022Rent: 2_074_080n,
  feePerSignature: 5_000n,
} as const
