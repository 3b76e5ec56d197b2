import type { TradeType } from '../../src/wire/quote.ts'

/**
 * Prices the conversion of one currency into another on the same chain (test/contracts/swap.ts tests every implementation). `quote` rejects
 * with ChainUnavailable when the chain does not answer, while "no route" is a value. The chain's payouts execute a route without asking
 * anybody, since a settlement is enqueued in the transaction that plans it, days after the quote. An exchange whose own service must create
 * the transaction does not fit.
 */
export interface Swap {
  quote(ask: SwapAsk): Promise<SwapPrice | 'no_route'>
}

export interface Coin {
  readonly chainId: number
  readonly address: string | null
}

export interface SwapAsk {
  readonly from: Coin
  readonly to: Coin
  /** `tradeType` says whether this is the amount in or the amount out, in smallest units. */
  readonly amount: bigint
  readonly tradeType: TradeType
  readonly signal: AbortSignal
}

export interface SwapPrice {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** The impact compares the price with that of a tiny amount, in hundredths of a percent and without the pools' fees. */
  readonly impactBps: number
  /** Only the chain understands the route. All others pass it on unchanged. */
  readonly route: readonly string[]
}

/** Each chain quotes its own conversions, if it has an exchange, and nothing crosses chains. */
export const swapOn = (chains: ReadonlyMap<number, { readonly swap?: Swap }>): Swap => ({
  quote: async (ask) => {
    const chain = ask.from.chainId === ask.to.chainId ? chains.get(ask.from.chainId) : undefined
    return chain?.swap?.quote(ask) ?? 'no_route'
  },
})
