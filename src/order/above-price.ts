import { fiatOf, type Fiat } from '../wire/fiat.ts'
import { sameCurrency, type Funds } from '../wire/funds.ts'
import { formatUnits, parseUnits } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fiatPriceOf } from './fiat.ts'

/** Amounts of a token are rounded up, so a cent more than the price is no cost that somebody could name. */
const roundingCents = 1n

/** Returns by how much more than the price the payer pays. It is undefined if that is nothing, or if one of the two is unknown. */
export const above = (price: Fiat | undefined, paid: Fiat | undefined): Fiat | undefined => {
  const priceCents = parseUnits(price?.decimal ?? '', 2)
  const paidCents = parseUnits(paid?.decimal ?? '', 2)
  if (!price || priceCents === undefined || paidCents === undefined) return undefined
  const cents = paidCents - priceCents
  return cents > roundingCents ? { decimal: formatUnits(cents, 2), unit: price.unit } : undefined
}

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
