import { sameAsset } from './asset.ts'
import { withoutReason } from './change.ts'
import { destinationsOf } from './destination.ts'
import { holdsFor } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'

/**
 * Drops expired quotes in whose currency no money arrived, so that an unpaid order does not grow. The first of each destination stays, since
 * late money in its currency is priced again, and so do those in use.
 */
export function withQuote(order: Order, quote: Quote, at: number): Order {
  const destinations = destinationsOf(order.terms)
  const isFirstOfDestination = (known: Quote) =>
    destinations.some(({ asset }) => sameAsset(asset, known.source)) &&
    order.quotes.find(({ source }) => sameAsset(source, known.source)) === known
  const isKept = (known: Quote) =>
    isFirstOfDestination(known) ||
    known.expiresAt > at ||
    known.id === order.activeQuote ||
    known.id === order.fixedQuote ||
    known.id === order.claimedQuote ||
    order.transfers.some(({ asset }) => sameAsset(asset, known.source))
  return priced({ ...order, quotes: [...order.quotes.filter(isKept), quote] }, quote)
}

/** A transfer that became `held` for lack of a valid price is `confirmed` again once a quote is valid for it. */
const priced = (order: Order, quote: Quote): Order => ({
  ...order,
  transfers: order.transfers.map((transfer) =>
    transfer.reason === 'no_price' && transfer.state === 'held' && holdsFor(order, quote, transfer)
      ? { ...withoutReason(transfer), state: 'confirmed' }
      : transfer,
  ),
})

/** A released quote expires just after `until` at the earliest, so that money that arrived up to the release still counts at its price. */
export const withPriceUntil = (order: Order, quoteId: number | undefined, until: number | undefined): Order =>
  until === undefined
    ? order
    : {
        ...order,
        quotes: order.quotes.map((quote) => (quote.id === quoteId ? { ...quote, expiresAt: Math.max(quote.expiresAt, until + 1) } : quote)),
      }
