import { above } from '../wire/above.ts'
import { fiatOf, type Fiat } from '../wire/fiat.ts'
import { sameCurrency, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fiatPriceOf } from './fiat.ts'

/** Returns about how much more than the order's price the funds are worth. It is undefined if that is nothing, or if the price is not in fiat. */
export const abovePrice = (order: OrderRead, funds: Funds): Fiat | undefined => above(fiatPriceOf(order), fiatOf(order, funds))

/** Returns how much more than the order's price the card was charged. It is undefined if that is nothing, or if the price is in other money. */
export const chargedAbovePrice = (order: OrderRead, charged: Fiat): Fiat | undefined => {
  const price = fiatPriceOf(order)
  return price?.unit === charged.unit ? above(price, charged) : undefined
}

/** Returns how much more than the order's price its quote asks for, because what the payer sends is converted. */
export const conversionCost = (order: OrderRead): Fiat | undefined => {
  const { input, output } = order.payment ?? {}
  if (!input || !output || sameCurrency(input.currency, output.currency)) return undefined
  return abovePrice(order, { raw: BigInt(input.amount.raw), currency: input.currency })
}
