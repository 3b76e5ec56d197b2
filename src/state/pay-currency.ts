import type { CurrencyRead } from '../wire/currency.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The currency in which the order is paid, as far as it is known. */
export const payCurrency = (order: OrderRead): CurrencyRead | undefined =>
  order.payment?.input?.currency ?? depositStep(order)?.data?.currency ?? order.fulfillment?.asset

export const depositStep = (order: OrderRead) => order.payment?.steps?.find((step) => step.kind === 'deposit' && step.data?.deposit_address)
