import type { Price } from '../prices.ts'

/**
 * Somebody who publishes prices in US dollars (test/contracts/price-source.ts tests every implementation). `get` resolves to undefined for what
 * the source does not price and while it does not answer, since another source may.
 */
export interface PriceSource {
  readonly name: PriceSourceName
  /** `id` is a token's price id or a fiat unit, in lower case. */
  get(id: string): Promise<Price | undefined>
  /** Whether the last request for it had no usable answer. */
  hasFailed(id: string): boolean
}

export const priceSourceNames = ['kraken', 'coinbase', 'bitso', 'chainlink', 'service'] as const
export type PriceSourceName = (typeof priceSourceNames)[number]
