import type { Fiat } from '../wire/fiat.ts'
import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { dueOf } from './due.ts'
import { failureOf, paidOf, refundedOf } from './ending.ts'
import { fundingOf } from './funding.ts'
import { chargedOf } from './receipt.ts'
import type { Step } from './step.ts'

/** The amount that matters in a step, and what it is. */
export interface Headline {
  readonly label: 'amountDue' | 'total' | 'remaining' | 'received' | 'paid' | 'refunded' | 'heldForYou'
  readonly funds: Funds
  /** What was received is all that the order asks for. */
  readonly isWhole?: boolean
  /** A card was charged this much instead. */
  readonly charged?: Fiat
}

/** Until something has happened to the payment it is what is due. Of a failed payment of which nothing arrived it is the price. */
export const headlineOf = (order: OrderRead, step: Step): Headline | undefined => {
  switch (step.at) {
    case 'pay': {
      const { due, received, seen, currency } = step.funding
      return { label: received + seen > 0n ? 'remaining' : 'amountDue', funds: { raw: due, currency } }
    }
    case 'confirming':
      return step.amount && { label: 'received', funds: step.amount, isWhole: fundingOf(order)?.required === step.amount.raw }
    case 'done':
      return labelled('paid', paidOf(order).amount, chargedOf(order))
    case 'refunded':
      return labelled('refunded', refundedOf(order))
    case 'failed': {
      const failure = failureOf(order)
      return 'amount' in failure
        ? labelled(failure.at === 'held' ? 'heldForYou' : 'refunded', failure.amount)
        : labelled('total', dueOf(order)?.funds)
    }
    case 'expired':
      return step.money ? { label: step.held ? 'heldForYou' : 'received', funds: step.money } : dueOf(order)
    case 'choose':
    case 'pick':
    case 'method':
      return dueOf(order, true)
    case 'unknown':
      return dueOf(order)
    default:
      return step satisfies never
  }
}

const labelled = (label: Headline['label'], funds: Funds | undefined, charged?: Fiat): Headline | undefined =>
  funds && { label, funds, ...(charged && { charged }) }
