import { sameCurrency } from '../wire/funds.ts'
import type { OrderRead, RefundRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'
import { explorerOf } from './explorer-link.ts'

/** Returns the refunds in the currency that was asked for, except failed ones. A refund that names no currency is in that one. */
export const refundsOf = (order: OrderRead): readonly RefundRead[] | undefined => {
  const asked = payCurrency(order)
  return order.payment?.refunds?.filter(
    ({ currency, state }) => state !== 'failed' && (!currency || !asked || sameCurrency(currency, asked)),
  )
}

interface LatestRefund {
  readonly address: string | undefined
  readonly hash: string | undefined
  readonly link: string | undefined
}

/** Prefers a refund in the currency that was asked for, because what came in another one was not this payment. */
export const latestRefund = (order: OrderRead): LatestRefund | undefined => {
  const listed = refundsOf(order)?.at(-1) ?? order.payment?.refunds?.at(-1)
  const refund = listed ?? order.payment?.refund
  const currency = listed?.currency ?? payCurrency(order)
  const hash = refund?.tx_hash
  return refund && { address: refund.address, hash, link: hash && currency && explorerOf(order, currency.chain_id, hash) }
}

export const totalRefund = (refunds: readonly RefundRead[]): bigint =>
  refunds.reduce((sum, { amount }) => sum + BigInt(amount?.raw ?? 0), 0n)
