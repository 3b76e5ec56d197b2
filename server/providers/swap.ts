import type { Asset } from '../orders/model/asset.ts'
import type { Route } from '../orders/model/quote.ts'
import type { TradeType } from '../../src/wire/quote.ts'

/**
 * Turns one currency into another on the same chain. One suite (test/contracts/swap.ts) holds every provider to it.
 *
 * Asking for a price reaches out; making the call does not: `call` is pure, so that a settlement can be enqueued in the transaction
 * that plans it, days after the price was given. A provider whose calls only its own service can make does not fit.
 * Rejects with ChainUnavailable when nobody answers; "there is no way" is a value.
 */
export interface Swap {
  quote(ask: SwapAsk): Promise<SwapPrice | 'no_route'>
  /** Spends exactly `amountIn`, gives `minOut` or more to `to`, or undoes everything. */
  call(ask: SwapCallAsk): SwapCall
}

export type Coin = Pick<Asset, 'chainId' | 'address'>

export interface SwapAsk {
  readonly from: Coin
  readonly to: Coin
  /** What is given in (EXACT_INPUT) or must come out (EXACT_OUTPUT), in smallest units. */
  readonly amount: bigint
  readonly tradeType: TradeType
  readonly signal: AbortSignal
}

export interface SwapPrice {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** How much worse than for a tiny amount, in hundredths of a percent; the pools' fees are not part of it. */
  readonly impactBps: number
  /** Opaque to everybody else, good for `call`. */
  readonly route: Route
}

export interface SwapCallAsk {
  readonly chainId: number
  readonly route: Route
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly to: string
}

export interface SwapCall {
  readonly router: string
  readonly data: string
}
