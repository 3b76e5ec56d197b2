import { sameCurrency } from '../wire/funds.ts'
import type { OrderRead, RefundRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'

/** Returns the refunds in the currency that was asked for, except failed ones. A refund that names no currency is in that one. */
export const refundsOf = (order: OrderRead): readonly RefundRead[] | undefined => {
  const asked = payCurrency(order)
  return order.payment?.refunds?.filter(
    ({ currency, state }) => state !== 'failed' && (!currency || !asked || sameCurrency(currency, asked)),
  )
}

export const totalRefund = (refunds: readonly RefundRead[]): bigint =>
  refunds.reduce((sum, { amount }) => sum + BigInt(amount?.raw ?? 0), 0n)
