import type { Choice } from '../wire/choice.ts'
import { currencyKey, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { depositOf, fundingOf, fundsOf, type Deposit, type Funding } from './funding.ts'
import { deadlineOf } from './times.ts'
import { transfersOf, type Transfer } from './transfers.ts'

/** Where the payer is: one situation at a time, computed and never stored. */
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
  | { readonly at: 'failed'; readonly amount: Funds | undefined; readonly back: boolean }
  | { readonly at: 'unknown' }

/** Total over every order, also one with nothing but an id and a status that this page does not know. */
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
      return {
        at: 'failed',
        amount: arrived(order),
        back: order.payment?.refund?.tx_hash !== undefined || (order.payment?.refunds?.length ?? 0) > 0,
      }
    default:
      return { at: 'unknown' }
  }
}

/** Whether anything can still change by itself: then the page listens, and without scripts it refreshes. */
export const isFinal = (step: Step): boolean => step.at === 'done' || step.at === 'refunded'

/** Whoever waits for money may find the page read anew; whoever reads a list or types an address is not interrupted. */
export const isWaiting = (step: Step, choice: Choice): boolean =>
  !isFinal(step) && step.at !== 'choose' && step.at !== 'pick' && !choice.form

const payable = (order: OrderRead, choice: Choice, now: number): Step => {
  const deposit = depositOf(order)
  const funding = fundingOf(order)
  if (funding && funding.due === 0n && funding.seen > 0n) return confirming(order, false)
  // Part of it is paid: only the same address completes it, whatever the page's own address still says. Less than the service counts as
  // a part, and what is merely seen, takes no way to pay from anybody.
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
  // The one that takes longest decides when all is confirmed.
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
    amount: funding ? { raw: funding.required, currency: funding.currency } : fundsOf(order.fulfillment?.amount, order.fulfillment?.asset),
    sent: funding && funding.received > funding.required ? { raw: funding.received, currency: funding.currency } : undefined,
    surplus: surplus && surplus.raw > 0n ? surplus : undefined,
  }
}

const expired = (order: OrderRead): Step => {
  const money = transfersOf(order).filter((transfer) => transfer.state !== 'back')
  const counted = money.some((transfer) => transfer.state !== 'held')
  return {
    at: 'expired',
    money: counted ? arrived(order) : money[0]?.funds,
    held: money.length > 0 && !counted,
    until: deadlineOf(order),
  }
}

/** The money that has arrived or was seen; the required amount where the service lists no transfers. */
const arrived = (order: OrderRead): Funds | undefined => {
  const funding = fundingOf(order)
  if (!funding) return fundsOf(order.fulfillment?.amount, order.fulfillment?.asset)
  const sum = funding.received + funding.seen
  return { raw: sum > 0n ? sum : funding.required, currency: funding.currency }
}

const refundedAmount = (order: OrderRead): Funds | undefined => {
  const funding = fundingOf(order)
  const refunds = order.payment?.refunds?.flatMap((refund) => (refund.amount ? [BigInt(refund.amount.raw)] : [])) ?? []
  return funding && refunds.length > 0 ? { raw: refunds.reduce((a, b) => a + b, 0n), currency: funding.currency } : undefined
}
