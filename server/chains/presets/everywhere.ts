import type { Preset, Sourced, TokenRow } from './preset.ts'
import type { Source } from './sources.ts'

/** These contracts were created with deterministic addresses, which are the same on every chain. */
export const everywhere = {
  multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11', sources: ['viem'] },
  permit2: { address: '0x000000000022D473030F116dDEE9F6B43aC78BA3', sources: ['x402'] },
} as const satisfies Preset['contracts']

type Sources = readonly [Source, ...Source[]]

export const ether = { address: null, symbol: 'ETH', name: 'Ether', decimals: 18, sources: ['viem'] } as const satisfies Sourced<TokenRow>

/** Its price is the coin's own, because the contract gives one coin for one token. */
export const wrappedEther = (address: string, ...sources: Sources): Sourced<TokenRow> => ({
  address,
  symbol: 'WETH',
  name: 'Wrapped Ether',
  decimals: 18,
  price_id: 'ETH',
  sources,
})

export const usdc = (address: string, rest: Pick<TokenRow, 'eip3009'> & { decimals?: number }, ...sources: Sources): Sourced<TokenRow> => ({
  address,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  peg: 'usd',
  ...rest,
  sources,
})

export const usdt = (address: string, decimals: number, ...sources: Sources): Sourced<TokenRow> => ({
  address,
  symbol: 'USDT',
  name: 'Tether USD',
  decimals,
  peg: 'usd',
  sources,
})

export const dai = (address: string, ...sources: Sources): Sourced<TokenRow> => ({
  address,
  symbol: 'DAI',
  name: 'Dai Stablecoin',
  decimals: 18,
  peg: 'usd',
  sources,
})

/** Chainlink quotes all of these in dollars with 8 decimals. Both packages agree on each address. */
export const feed = (pair: string, address: string, ...sources: Sources): Preset['feeds'][number] => ({
  pair,
  address,
  decimals: 8,
  sources,
})
