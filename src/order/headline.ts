import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fundingOf, fundsOf } from './funding.ts'
import type { Step } from './step.ts'

/** The amount that matters in a step, and what it is. */
export interface Headline {
  readonly label: 'amountDue' | 'remaining' | 'received' | 'paid' | 'refunded' | 'heldForYou'
  readonly funds: Funds
}

export const headlineOf = (step: Step): Headline | undefined => {
  switch (step.at) {
    case 'pay': {
      const { due, received, seen, currency } = step.funding
      return { label: received + seen > 0n ? 'remaining' : 'amountDue', funds: { raw: due, currency } }
    }
    case 'confirming':
      return step.amount && { label: 'received', funds: step.amount }
    case 'done':
      return step.amount && { label: 'paid', funds: step.amount }
    case 'refunded':
      return step.amount && { label: 'refunded', funds: step.amount }
    case 'failed':
      return step.amount && { label: step.amount.raw > 0n ? 'heldForYou' : 'received', funds: step.amount }
    case 'expired':
      return step.money && { label: step.held ? 'heldForYou' : 'received', funds: step.money }
    case 'choose':
    case 'pick':
    case 'method':
    case 'unknown':
      return undefined
    default:
      return step satisfies never
  }
}

/** Returns what is due. Without a quote, that is the merchant's amount in the settlement asset. */
export const dueOf = (order: OrderRead): Headline | undefined => {
  const funding = fundingOf(order)
  if (funding?.due === 0n) return { label: 'received', funds: { raw: funding.received + funding.seen, currency: funding.currency } }
  const funds = funding ? { raw: funding.due, currency: funding.currency } : fundsOf(order.fulfillment?.amount, order.fulfillment?.asset)
  return funds && { label: 'amountDue', funds }
}
