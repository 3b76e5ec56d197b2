import type { OrderRead } from '../wire/order-read.ts'
import { isCharged } from '../wire/is-charged.ts'
import { askedOf, fundingOf, ownDueOf } from './funding.ts'
import type { Headline } from './headline.ts'

/**
 * Returns what is due, which is the rest once a part has arrived, or what has arrived if that is all. A charged card has paid it. A payer who
 * `chooses` may have asked for another token before, which the other ways do not need, so it is then in the order's own.
 */
export const dueOf = (order: OrderRead, chooses = false): Headline | undefined => {
  const funding = fundingOf(order)
  const arrived = funding ? funding.received + funding.seen : 0n
  if (funding?.due === 0n) return { label: 'received', funds: { raw: arrived, currency: funding.currency } }
  const funds = chooses && !arrived ? ownDueOf(order) : askedOf(order, 'due')
  return funds && { label: isCharged(order) ? 'paid' : arrived ? 'remaining' : 'amountDue', funds }
}
