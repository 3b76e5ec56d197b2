import type { FiatCurrency } from '../../../src/wire/currency.ts'
import type { Source } from './sources.ts'

/** What Till knows of a chain before anybody configures it. A row of `chains.json` overrides it member by member. */
export interface Preset {
  readonly chainId: number
  readonly chain: Sourced<ChainRow>
  readonly confirmations: Sourced<{ readonly blocks: number; readonly why: string }>
  /** No busy hour of the chain has asked for so much for long. A settlement, of some 145,000 gas, costs about 20 dollars then, on Ethereum 200. */
  readonly maxFeeGwei: number
  /** The first ones are the most liquid, since conversions go through them. */
  readonly tokens: readonly Sourced<TokenRow>[]
  readonly contracts: Readonly<Partial<Record<ContractName, Sourced<{ readonly address: string }>>>>
  /** Chainlink's price feeds against the dollar. */
  readonly feeds: readonly Sourced<FeedRow>[]
  /** A rollup's uptime feed, by Chainlink too. The feeds count only while it says that the sequencer is up. */
  readonly sequencer?: Sourced<{ readonly address: string }>
  /** Each sentence says which fact is missing above and why: its sources differ, or there is none. */
  readonly leftOut: readonly string[]
}

/** A fact without a source cannot be checked, so no row may be without one. */
export type Sourced<T> = T & { readonly sources: readonly [Source, ...Source[]] }

interface ChainRow {
  readonly name: string
  readonly native: { readonly symbol: string; readonly name: string; readonly decimals: number }
  readonly explorer: string
  readonly blockMs?: number
}

/** The members are those of `tokens` in `chains.json`. `name`, `price_id` and `peg` are our own choice, the others are the chain's. */
export interface TokenRow {
  readonly address: string | null
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly price_id?: string
  readonly peg?: FiatCurrency
  /** The EIP-712 domain of a token with EIP-3009. */
  readonly eip3009?: { readonly name: string; readonly version: string }
}

type ContractName =
  | 'multicall3'
  | 'permit2'
  | 'uniswapV3Factory'
  | 'uniswapSwapRouter02'
  | 'uniswapQuoterV2'
  /** The token that the router wraps the native coin as. */
  | 'wrappedCoin'
  | 'uniswapV4PoolManager'
  | 'uniswapV4Quoter'

export type PresetFeeds = Pick<Preset, 'feeds' | 'sequencer'>

interface FeedRow {
  readonly pair: string
  readonly address: string
  readonly decimals: number
}
