import { type Asset, sameAsset } from './asset.ts'
import { isOpen, type Policy } from './commands.ts'
import type { Fact } from './facts.ts'
import { nextQuoteId, quoteInForce } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'

/** A fresh price, for money that came late or is still due after its quote expired. */
export const repriced = (order: Order, quote: Quote, policy: Policy, now: number): Fact => ({
  type: 'repriced',
  quote: { ...quote, id: nextQuoteId(order), expiresAt: now + policy.paymentWindowMs },
})

/** Whether money in this asset arrives after every quote of the order for it has expired. */
export function needsPrice(order: Order, asset: Asset, now: number): boolean {
  if (!isOpen(order) || order.fixedQuote !== undefined) return false
  const quotes = order.quotes.filter((quote) => sameAsset(quote.source, asset))
  return quotes.length > 0 && quotes.every((quote) => quote.moves && quote.expiresAt <= now)
}

/** The asset of late money that still waits for a price, for at most a day. */
export const awaitsPrice = (order: Order, now: number): Asset | undefined =>
  isOpen(order) && order.fixedQuote === undefined
    ? order.transfers.find(({ state, reason, seenAt }) => state === 'held' && reason === 'no_price' && now < seenAt + repriceForMs)?.asset
    : undefined

/** The rest of a payment whose price moves is priced again when its quote expires, for a day; after that only when the payer comes back. */
const repriceForMs = 24 * 3_600_000

export function repriceAt(order: Order): number | undefined {
  // A settlement at the old price may still succeed: the price that was fixed stays until it has failed.
  if (order.fixedQuote !== undefined) return undefined
  const quote = quoteInForce(order)
  return quote.moves && quote.expiresAt < order.expiresAt + repriceForMs ? quote.expiresAt : undefined
}

/** The asset that this order's next tick needs a fresh price for. */
export const assetToPrice = (order: Order, now: number): Asset | undefined =>
  awaitsPrice(order, now) ??
  (order.status === 'PARTIAL_PAYMENT' && now >= (repriceAt(order) ?? Infinity) ? quoteInForce(order).source : undefined)
