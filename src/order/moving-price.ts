import type { CurrencyRead } from '../wire/currency.ts'
import { sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The price moves unless the order is priced in this very currency, or in the fiat unit to which the service has pegged it. */
export const hasMovingPrice = ({ fulfillment }: OrderRead, currency: CurrencyRead): boolean => {
  const { fiat_unit: unit, asset } = fulfillment ?? {}
  if (unit) return currency.price_usd !== Number(currency.fiat_unit_usd ?? (/^usd$/i.test(unit) ? 1 : NaN))
  return !asset || !sameCurrency(asset, currency)
}
