import { type Asset, sameAsset } from './asset.ts'
import { isOpen, type Policy } from './commands.ts'
import type { Fact } from './facts.ts'
import { nextQuoteId, quoteInForce } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'

export const repriced = (order: Order, quote: Quote, policy: Policy, now: number): Fact => ({
  type: 'repriced',
  quote: { ...quote, id: nextQuoteId(order), expiresAt: now + policy.paymentWindowMs },
})

/** Money in this asset needs a fresh price if the order had quotes for it and all of them have expired by `now`. */
export function needsPrice(order: Order, asset: Asset, now: number): boolean {
  if (!isOpen(order) || order.fixedQuote !== undefined) return false
  const quotes = order.quotes.filter((quote) => sameAsset(quote.source, asset))
  return quotes.length > 0 && quotes.every((quote) => quote.moves && quote.expiresAt <= now)
}

/** Returns the asset of late money that waits for a price, for a day at most. */
export const awaitsPrice = (order: Order, now: number): Asset | undefined =>
  isOpen(order) && order.fixedQuote === undefined
    ? order.transfers.find(({ state, reason, seenAt }) => state === 'held' && reason === 'no_price' && now < seenAt + repriceForMs)?.asset
    : undefined

/** The rest of a payment is repriced by itself for this long after the order expires, and late money for this long after it arrives. */
const repriceForMs = 24 * 3_600_000

export function repriceAt(order: Order): number | undefined {
  // A settlement at the fixed price may still succeed, so that price stays until the source is released.
  if (order.fixedQuote !== undefined) return undefined
  const quote = quoteInForce(order)
  return quote.moves && quote.expiresAt < order.expiresAt + repriceForMs ? quote.expiresAt : undefined
}

/** Returns the asset for which the order's next tick needs a fresh price. */
export const assetToPrice = (order: Order, now: number): Asset | undefined =>
  awaitsPrice(order, now) ??
  (order.status === 'PARTIAL_PAYMENT' && now >= (repriceAt(order) ?? Infinity) ? quoteInForce(order).source : undefined)
