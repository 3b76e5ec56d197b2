import type { CurrencyRead } from '../wire/currency.ts'
import { sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The price moves unless the order is priced in this very currency, or in the fiat unit to which the service has pegged it. */
export const hasMovingPrice = ({ fulfillment }: OrderRead, currency: CurrencyRead): boolean => {
  const { fiat_unit: unit, fiat_unit_usd: unitPrice, asset } = fulfillment ?? {}
  if (unit) return currency.price_usd !== Number(unitPrice ?? 1)
  return !asset || !sameCurrency(asset, currency)
}
