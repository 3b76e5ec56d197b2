import type { OrderRead } from '../wire/order-read.ts'
import { refundsOf, totalRefund } from './refunds.ts'

/** Returns whether confirmed refunds cover the surplus. A service that lists no refunds may still have the hash of one. */
export const isSurplusReturned = (order: OrderRead, surplus: bigint): boolean => {
  const refunds = refundsOf(order)
  if (!refunds) return order.payment?.refund?.tx_hash !== undefined
  return totalRefund(refunds.filter(({ state }) => state === 'confirmed')) >= surplus
}
