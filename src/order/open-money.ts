import type { OrderRead } from '../wire/order-read.ts'
import { transfersOf } from './transfers.ts'

/** Returns whether money of the payer is held, goes back or is not final yet, which the payer should read before leaving. */
export const hasOpenMoney = (order: OrderRead): boolean => {
  const { surplus, refund, refunds } = order.payment ?? {}
  return (
    (surplus !== undefined && BigInt(surplus.raw) > 0n) ||
    refund?.tx_hash !== undefined ||
    (refunds?.length ?? 0) > 0 ||
    transfersOf(order).some(({ state }) => state !== 'arrived')
  )
}
