import { type Asset, sameAsset } from './asset.ts'
import { isOpen, type Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { nextQuoteId, quoteInForce } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'

/** What came late, or is still due after its time, at today's price. */
export const repriced = (order: Order, quote: Quote, rules: Rules, now: number): Fact => ({
  type: 'repriced',
  quote: { ...quote, id: nextQuoteId(order), expiresAt: now + rules.paymentWindowMs },
})

/** Money in a currency whose price moves, and no price of this order for it holds any more. */
export function needsPrice(order: Order, asset: Asset, now: number): boolean {
  if (!isOpen(order) || order.fixedQuote !== undefined) return false
  const quotes = order.quotes.filter((quote) => sameAsset(quote.source, asset))
  return quotes.length > 0 && quotes.every((quote) => quote.moves && quote.expiresAt <= now)
}

/** Money that came late while nobody knew a price: it is priced as soon as somebody does, for a day. */
export const awaitsPrice = (order: Order, now: number): Asset | undefined =>
  isOpen(order) && order.fixedQuote === undefined
    ? order.transfers.find(({ state, reason, seenAt }) => state === 'held' && reason === 'no_price' && now < seenAt + repriceForMs)?.asset
    : undefined

/** The rest of a payment whose price moves is priced anew when its time is over, for a day; later only when the payer comes back. */
const repriceForMs = 24 * 3_600_000

export function repriceAt(order: Order): number | undefined {
  // A settlement of the old price may still go through: what it took the order at stays until it has failed.
  if (order.fixedQuote !== undefined) return undefined
  const quote = quoteInForce(order)
  return quote.moves && quote.expiresAt < order.expiresAt + repriceForMs ? quote.expiresAt : undefined
}

/** What this order's next tick wants today's price of. */
export const assetToPrice = (order: Order, now: number): Asset | undefined =>
  awaitsPrice(order, now) ??
  (order.status === 'PARTIAL_PAYMENT' && now >= (repriceAt(order) ?? Infinity) ? quoteInForce(order).source : undefined)
