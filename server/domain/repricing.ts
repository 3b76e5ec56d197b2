import { type Asset, sameAsset } from './asset.ts'
import { isOpen, type Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { quoteInForce } from './funding.ts'
import type { Order } from './order.ts'
import { convertsAnything, type Quote } from './quote.ts'

/** What came late, or is still due after its time, at today's price. */
export const repriced = (order: Order, quote: Quote, rules: Rules, now: number): Fact => ({
  type: 'repriced',
  quote: { ...quote, id: order.quotes.length, expiresAt: now + rules.paymentWindowMs },
})

/** Money in a currency that is converted, and no price of this order for it holds any more. */
export const needsPrice = (order: Order, asset: Asset, now: number): boolean => {
  if (!isOpen(order) || sameAsset(asset, order.terms.asset)) return false
  const good = order.fixedQuote === undefined ? order.quotes : [quoteInForce(order)]
  const quotes = good.filter((quote) => sameAsset(quote.source, asset))
  return quotes.length > 0 && quotes.every((quote) => quote.expiresAt <= now)
}

/** The rest of a payment that is converted is priced anew when its time is over, for a day; later only when the payer comes back. */
const repriceForMs = 24 * 3_600_000

export const repriceAt = (order: Order): number | undefined => {
  const quote = quoteInForce(order)
  return convertsAnything(quote) && quote.expiresAt < order.expiresAt + repriceForMs ? quote.expiresAt : undefined
}

/** This order's next tick wants today's price of what it is paid in. */
export const ticksWithPrice = (order: Order, now: number): boolean =>
  order.status === 'PARTIAL_PAYMENT' && now >= (repriceAt(order) ?? Infinity)
