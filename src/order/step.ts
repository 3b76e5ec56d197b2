import type { Choice } from '../wire/choice.ts'
import { currencyKey, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { arrivedOf, depositOf, fundingOf, type Deposit, type Funding } from './funding.ts'
import { isCharged } from '../wire/is-charged.ts'
import { deadlineOf } from './times.ts'
import { isCounted, keptOf } from './transfers.ts'

/** A payer is in exactly one step at a time. It is computed from the order and the payer's choice, and never stored. */
export type Step =
  | { readonly at: 'choose' }
  | { readonly at: 'pick' }
  | {
      readonly at: 'pay'
      readonly deposit: Deposit
      readonly funding: Funding
      readonly until: number | undefined
      readonly lapsed: boolean
    }
  | { readonly at: 'method'; readonly slug: string }
  /** What else its screen shows is computed by confirming.ts, which the first script lacks. */
  | { readonly at: 'confirming'; readonly amount: Funds | undefined; readonly settling: boolean }
  | { readonly at: 'expired'; readonly money: Funds | undefined; readonly held: boolean; readonly until: number | undefined }
  /** What their screens show is computed by ending.ts, which the first script lacks. */
  | { readonly at: 'done' | 'refunded' | 'failed' }
  | { readonly at: 'unknown' }

/** Returns a step for every order, even for one with nothing but an id and a status that this page does not know. */
export const stepOf = (order: OrderRead, choice: Choice, now: number): Step => {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
    case 'PARTIAL_PAYMENT':
      return payable(order, choice, now)
    case 'AWAITING_CONFIRMATION':
    case 'OPTIMISTIC_CONFIRMED':
      return confirming(order, false)
    case 'EXECUTING_ORDER':
      return confirming(order, true)
    case 'COMPLETED':
      return { at: 'done' }
    case 'EXPIRED':
      return expired(order)
    case 'REFUNDED':
      return { at: 'refunded' }
    case 'FAILED':
      return { at: 'failed' }
    default:
      return { at: 'unknown' }
  }
}

/** A final order needs nothing more from the payer, so the page stops polling. The socket still reports changes, as of a refund. */
export const isFinal = (step: Step): boolean => step.at === 'done' || step.at === 'refunded'

/** A page that cannot follow the order reloads itself while the payer waits, but not while the payer reads a list or types into a form. */
export const isWaiting = (step: Step, choice: Choice): boolean =>
  !isFinal(step) && step.at !== 'choose' && step.at !== 'pick' && !choice.form

const payable = (order: OrderRead, choice: Choice, now: number): Step => {
  const deposit = depositOf(order)
  const funding = fundingOf(order)
  if (funding && funding.due === 0n && funding.seen > 0n) return confirming(order, false)
  // What the service counts as partly paid can only be completed at the same address, whatever the page's URL says.
  const isPartial = order.status === 'PARTIAL_PAYMENT'
  if (!isPartial) {
    // Paying in another way would pay twice.
    if (isCharged(order)) return { at: 'method', slug: 'card' }
    if (choice.pick) return { at: 'pick' }
    if (choice.method === 'choose') return { at: 'choose' }
    if (choice.method && choice.method !== 'address') return { at: 'method', slug: choice.method }
    if (deposit && choice.currency && choice.currency !== currencyKey(deposit.currency)) return { at: 'pick' }
  }
  if (!deposit || !funding) return { at: 'choose' }
  const until = deadlineOf(order)
  return { at: 'pay', deposit, funding, until, lapsed: !isPartial && until !== undefined && until <= now }
}

const confirming = (order: OrderRead, settling: boolean): Step => ({ at: 'confirming', amount: arrivedOf(order), settling })

const expired = (order: OrderRead): Step => {
  const money = keptOf(order)
  const counted = money.some(isCounted)
  if (!counted && isCharged(order)) return { at: 'method', slug: 'card' }
  return {
    at: 'expired',
    money: counted ? arrivedOf(order) : money[0]?.funds,
    held: money.length > 0 && !counted,
    until: deadlineOf(order),
  }
}
