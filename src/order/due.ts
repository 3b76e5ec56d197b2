import type { OrderRead } from '../wire/order-read.ts'
import { askedOf, fundingOf } from './funding.ts'
import type { Headline } from './headline.ts'

/** Returns what is due, or what has arrived if that is all. */
export const dueOf = (order: OrderRead): Headline | undefined => {
  const funding = fundingOf(order)
  if (funding?.due === 0n) return { label: 'received', funds: { raw: funding.received + funding.seen, currency: funding.currency } }
  const funds = askedOf(order, 'due')
  return funds && { label: 'amountDue', funds }
}
