import { sameCurrency } from '../wire/funds.ts'
import type { OrderRead, RefundRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'
import { explorerOf } from './transfers.ts'

/** Returns the refunds in the currency that was asked for, except failed ones. A refund that names no currency is in that one. */
export const refundsOf = (order: OrderRead): readonly RefundRead[] | undefined => {
  const asked = payCurrency(order)
  return order.payment?.refunds?.filter(
    ({ currency, state }) => state !== 'failed' && (!currency || !asked || sameCurrency(currency, asked)),
  )
}

/** The transaction of the latest refund, preferably of one in the currency that was asked for. */
export const refundTransaction = (order: OrderRead): { readonly hash: string; readonly link: string | undefined } | undefined => {
  const latest = refundsOf(order)?.at(-1) ?? order.payment?.refunds?.at(-1)
  const hash = (latest ?? order.payment?.refund)?.tx_hash
  const currency = latest?.currency ?? payCurrency(order)
  return hash === undefined ? undefined : { hash, link: currency && explorerOf(order, currency.chain_id, hash) }
}

export const totalRefund = (refunds: readonly RefundRead[]): bigint =>
  refunds.reduce((sum, { amount }) => sum + BigInt(amount?.raw ?? 0), 0n)
