import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The payer pays in the quoted currency. Without a quote, it is the settlement asset. */
export const payCurrency = (order: OrderRead): CurrencyRead | undefined =>
  order.payment?.input?.currency ?? depositStep(order)?.data?.currency ?? order.fulfillment?.asset

export const depositStep = (order: OrderRead) => order.payment?.steps?.find((step) => step.kind === 'deposit' && step.data?.deposit_address)

/** A form without scripts sends the currency as this field, and a call of the API as `paymentRequest`. */
export const currencyField = (currency: CurrencyRead) => ({ currency: currencyKey(currency) })

export const paymentRequest = ({ chain_id, address }: CurrencyRead) => ({ currency: { chain_id, address: address ?? null } })
