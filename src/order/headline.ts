import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { dueOf } from './due.ts'
import type { Step } from './step.ts'

/** The amount that matters in a step, and what it is. */
export interface Headline {
  readonly label: 'amountDue' | 'remaining' | 'received' | 'paid' | 'refunded' | 'heldForYou'
  readonly funds: Funds
}

/** Until something has happened to the payment it is what is due. A failed payment of which nothing arrived has no amount. */
export const headlineOf = (order: OrderRead, step: Step): Headline | undefined => {
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
      return 'amount' in step ? { label: step.failure === 'held' ? 'heldForYou' : 'refunded', funds: step.amount } : undefined
    case 'expired':
      return step.money ? { label: step.held ? 'heldForYou' : 'received', funds: step.money } : dueOf(order)
    case 'choose':
    case 'pick':
    case 'method':
    case 'unknown':
      return dueOf(order)
    default:
      return step satisfies never
  }
}
