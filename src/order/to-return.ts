import type { CurrencyRead } from '../wire/currency.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'
import { keptOf } from './transfers.ts'

/** The merchant has not agreed to an address to which money of this order can go back. */
export const lacksRefundAddress = (order: OrderRead): boolean => order.payment?.refund?.address === undefined

/** The payer has not even proposed one. */
export const asksForRefundAddress = (order: OrderRead): boolean =>
  lacksRefundAddress(order) && (order.payment?.refund?.proposed ?? []).length === 0

/** Money goes back in this currency, and on its network: in that of what is held or will be, or else in that of the payment. */
export const currencyToReturn = (order: OrderRead): CurrencyRead | undefined =>
  keptOf(order).find(({ state, misdirected }) => state === 'held' || misdirected !== undefined)?.funds.currency ?? payCurrency(order)
