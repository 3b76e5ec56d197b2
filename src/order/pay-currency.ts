import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The currency in which the order is paid, as far as it is known. */
export const payCurrency = (order: OrderRead): CurrencyRead | undefined =>
  order.payment?.input?.currency ?? depositStep(order)?.data?.currency ?? order.fulfillment?.asset

export const depositStep = (order: OrderRead) => order.payment?.steps?.find((step) => step.kind === 'deposit' && step.data?.deposit_address)

/** A request for instructions in a currency, as a form's field and as a call. */
export const currencyField = (currency: CurrencyRead) => ({ currency: currencyKey(currency) })

export const paymentRequest = ({ chain_id, address }: CurrencyRead) => ({ currency: { chain_id, address: address ?? null } })
