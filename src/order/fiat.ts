import { isCardOver } from '../wire/is-card-over.ts'
import type { Fiat } from '../wire/fiat.ts'
import { type Funds, sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

export { fiatOf } from '../wire/fiat.ts'

/** Returns what the provider charges, all costs included, while its page can be paid. */
export const chargedTotalOf = (order: OrderRead): Fiat | undefined => {
  const data = order.payment?.steps?.find((step) => step.data?.quote)?.data
  return data?.quote && !isCardOver(data) ? { decimal: data.quote.source_total_amount, unit: data.quote.source_currency } : undefined
}

/** The order's price is that of its asset. */
export const isInAsset = ({ fulfillment }: OrderRead, { currency }: Pick<Funds, 'currency'>): boolean =>
  !fulfillment?.asset || sameCurrency(currency, fulfillment.asset)

/** Returns the order's exact price, if it was given in fiat money. */
export const fiatPriceOf = ({ price, fulfillment }: OrderRead): Fiat | undefined =>
  price && price.unit === fulfillment?.fiat_unit ? { decimal: price.amount, unit: price.unit } : undefined

/** Returns the order's exact price where the funds are all of it, in its own token. In another one they are worth more, by what that costs. */
export const priceOfWhole = (order: OrderRead, funds: Funds): Fiat | undefined => (isInAsset(order, funds) ? fiatPriceOf(order) : undefined)
