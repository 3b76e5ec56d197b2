import type { Asset } from '../orders/model/asset.ts'
import type { Route } from '../orders/model/quote.ts'
import type { TradeType } from '../../src/wire/quote.ts'

/**
 * Converts one currency into another on the same chain (test/contracts/swap.ts tests every provider). `quote` may use the network and
 * rejects with ChainUnavailable when the chain does not answer, while "no route" is a value. `call` is pure, so that a settlement can be
 * enqueued in the transaction that plans it, days after the quote. A provider whose calls only its own service can create does not fit.
 */
export interface Swap {
  quote(ask: SwapAsk): Promise<SwapPrice | 'no_route'>
  /** Encodes a call that spends exactly `amountIn` and sends `minOut` or more to `to`, or reverts. */
  call(ask: SwapCallAsk): SwapCall
}

export type Coin = Pick<Asset, 'chainId' | 'address'>

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
  /** Only the provider understands its route. All others pass it to `call` unchanged. */
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
