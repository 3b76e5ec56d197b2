import type { OrderRead } from '../wire/order-read.ts'
import { deadlineOf } from './times.ts'
import { isCounted, transfersOf, type Transfer } from './transfers.ts'

export interface Confirming {
  readonly transfer: Transfer | undefined
  /** No other transfer is part of the payment. */
  readonly isAlone: boolean
  /** The payment was sent after the price had expired. */
  readonly late: boolean
}

/** The payment is confirmed when its slowest transfer is, so that transfer is shown. */
export const confirmingOf = (order: OrderRead): Confirming => {
  const counted = transfersOf(order).filter(isCounted)
  const transfer = [...counted].sort(
    (a, b) => Number(b.state === 'seen') - Number(a.state === 'seen') || a.confirmations - b.confirmations,
  )[0]
  const until = deadlineOf(order)
  return { transfer, isAlone: counted.length < 2, late: transfer?.at !== undefined && until !== undefined && transfer.at > until }
}
