import type { Choice } from '../wire/choice.ts'
import { currencyKey, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { askedOf, depositOf, fundingOf, fundsOf, type Deposit, type Funding } from './funding.ts'
import { payCurrency } from './pay-currency.ts'
import { refundsOf, totalRefund } from './refunds.ts'
import { deadlineOf } from './times.ts'
import { keptOf, transfersOf, type Transfer } from './transfers.ts'

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
  | {
      readonly at: 'confirming'
      readonly amount: Funds | undefined
      readonly transfer: Transfer | undefined
      readonly late: boolean
      readonly settling: boolean
    }
  | { readonly at: 'done'; readonly amount: Funds | undefined; readonly sent: Funds | undefined; readonly surplus: Funds | undefined }
  | { readonly at: 'expired'; readonly money: Funds | undefined; readonly held: boolean; readonly until: number | undefined }
  | { readonly at: 'refunded'; readonly amount: Funds | undefined }
  /** Where the money is, as far as the service says. */
  | { readonly at: 'failed'; readonly failure: 'nothing' | 'unknown' }
  | { readonly at: 'failed'; readonly failure: 'held' | 'back'; readonly amount: Funds }
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
      return done(order)
    case 'EXPIRED':
      return expired(order)
    case 'REFUNDED':
      return { at: 'refunded', amount: refundedAmount(order) ?? arrived(order) }
    case 'FAILED':
      return failed(order)
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
    if (choice.pick) return { at: 'pick' }
    if (choice.method === 'choose') return { at: 'choose' }
    if (choice.method && choice.method !== 'address') return { at: 'method', slug: choice.method }
    if (deposit && choice.currency && choice.currency !== currencyKey(deposit.currency)) return { at: 'pick' }
  }
  if (!deposit || !funding) return { at: 'choose' }
  const until = deadlineOf(order)
  return { at: 'pay', deposit, funding, until, lapsed: !isPartial && until !== undefined && until <= now }
}

const confirming = (order: OrderRead, settling: boolean): Step => {
  const counted = transfersOf(order).filter((transfer) => transfer.state === 'seen' || transfer.state === 'arrived')
  // The payment is confirmed when its slowest transfer is, so that transfer is shown.
  const transfer = [...counted].sort(
    (a, b) => Number(b.state === 'seen') - Number(a.state === 'seen') || a.confirmations - b.confirmations,
  )[0]
  const until = deadlineOf(order)
  const late = transfer?.at !== undefined && until !== undefined && transfer.at > until
  return { at: 'confirming', amount: arrived(order), transfer, late, settling }
}

const done = (order: OrderRead): Step => {
  const funding = fundingOf(order)
  const currency = funding?.currency
  const surplus = fundsOf(order.payment?.surplus, currency)
  return {
    at: 'done',
    amount: askedOf(order, 'required'),
    sent: funding && funding.received > funding.required ? { raw: funding.received, currency: funding.currency } : undefined,
    surplus: surplus && surplus.raw > 0n ? surplus : undefined,
  }
}

const expired = (order: OrderRead): Step => {
  const money = keptOf(order)
  const counted = money.some((transfer) => transfer.state !== 'held')
  return {
    at: 'expired',
    money: counted ? arrived(order) : money[0]?.funds,
    held: money.length > 0 && !counted,
    until: deadlineOf(order),
  }
}

/** What is held may be in another currency than was asked for. */
const failed = (order: OrderRead): Step => {
  const back = refundedAmount(order)
  const amount = back ?? received(order) ?? keptOf(order)[0]?.funds
  if (amount) return { at: 'failed', failure: back ? 'back' : 'held', amount }
  return { at: 'failed', failure: order.payment?.funding?.transactions?.length === 0 ? 'nothing' : 'unknown' }
}

/** Returns the sum of what was received and seen, unless it is zero or unknown. */
const received = (order: OrderRead): Funds | undefined => {
  const funding = fundingOf(order)
  const raw = funding && funding.received + funding.seen
  return raw ? { raw, currency: funding.currency } : undefined
}

const arrived = (order: OrderRead): Funds | undefined => received(order) ?? askedOf(order, 'required')

/** A service that lists no refunds may have the hash of one, which returned all that arrived. */
const refundedAmount = (order: OrderRead): Funds | undefined => {
  const refunds = refundsOf(order)
  const currency = payCurrency(order)
  const raw = refunds && totalRefund(refunds)
  if (raw && currency) return { raw, currency }
  return refunds?.length || (!refunds && order.payment?.refund?.tx_hash) ? arrived(order) : undefined
}
