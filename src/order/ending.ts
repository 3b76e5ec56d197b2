import type { Funds } from '../wire/funds.ts'
import { subtractToZero } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { arrivedOf, askedOf, fundingOf, fundsOf, receivedOf } from './funding.ts'
import { payCurrency } from './pay-currency.ts'
import { refundsOf, totalRefund } from './refunds.ts'
import { keptOf } from './transfers.ts'

export interface Paid {
  readonly amount: Funds | undefined
  /** It is absent unless the payer has sent more than was asked for. */
  readonly sent: Funds | undefined
  readonly surplus: Funds | undefined
}

/** Where the money of a failed payment is, as far as the service says. */
export type Failure =
  | { readonly at: 'nothing' | 'unknown' }
  | { readonly at: 'back'; readonly amount: Funds }
  /** A part of it may have gone back. */
  | { readonly at: 'held'; readonly amount: Funds; readonly back: Funds | undefined }

export const paidOf = (order: OrderRead): Paid => {
  const funding = fundingOf(order)
  const surplus = fundsOf(order.payment?.surplus, funding?.currency)
  return {
    amount: askedOf(order, 'required'),
    sent: funding && funding.received > funding.required ? { raw: funding.received, currency: funding.currency } : undefined,
    surplus: surplus && surplus.raw > 0n ? surplus : undefined,
  }
}

export const refundedOf = (order: OrderRead): Funds | undefined => listedRefund(order) ?? arrivedOf(order)

/** What is held may be in another currency than was asked for. Less than a twentieth beside a refund is gas that the refund did not need. */
export const failureOf = (order: OrderRead): Failure => {
  const back = listedRefund(order)
  const left = leftOf(order, back)
  if (back && !(left && left.raw * 20n >= back.raw)) return { at: 'back', amount: back }
  const amount = left ?? keptOf(order)[0]?.funds
  if (amount) return { at: 'held', amount, back }
  return { at: order.payment?.funding?.transactions?.length === 0 ? 'nothing' : 'unknown' }
}

/** Where the whole has been received, or the service does not say what remains due, `received` includes what went back. */
const leftOf = (order: OrderRead, back: Funds | undefined): Funds | undefined => {
  const received = receivedOf(order)
  if (!received || !back || BigInt(order.payment?.funding?.remaining_amount?.raw ?? 0)) return received
  return { ...received, raw: subtractToZero(received.raw, back.raw) }
}

/** A service that lists no refunds may have the hash of one, which returned all that arrived. */
const listedRefund = (order: OrderRead): Funds | undefined => {
  const refunds = refundsOf(order)
  const currency = payCurrency(order)
  const raw = refunds && totalRefund(refunds)
  if (raw && currency) return { raw, currency }
  return refunds?.length || (!refunds && order.payment?.refund?.tx_hash) ? arrivedOf(order) : undefined
}
