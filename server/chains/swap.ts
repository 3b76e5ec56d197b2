import type { TradeType } from '../../src/wire/quote.ts'

/**
 * Prices the conversion of one currency into another on the same chain (test/contracts/swap.ts tests every implementation). `quote` rejects
 * with ChainUnavailable when the chain does not answer, while "no route" is a value. A quote says what a conversion would yield now. How it goes is
 * the chain's own business: its payouts choose the way when they convert, since the market may have moved since the quote.
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
  /** The impact compares the price with the one at which the market stands, in hundredths of a percent and without its fees. */
  readonly impactBps: number
}

/** Each chain quotes its own conversions, if it has an exchange, and nothing crosses chains. */
export const swapOn = (chains: ReadonlyMap<number, { readonly swap?: Swap }>): Swap => ({
  quote: async (ask) => {
    const chain = ask.from.chainId === ask.to.chainId ? chains.get(ask.from.chainId) : undefined
    return chain?.swap?.quote(ask) ?? 'no_route'
  },
})
