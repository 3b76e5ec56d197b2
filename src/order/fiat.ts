import { isCardOver } from '../wire/is-card-over.ts'
import type { CurrencyRead, NetworkFee } from '../wire/currency.ts'
import type { Fiat } from '../wire/fiat.ts'
import { sameCurrency, type Funds } from '../wire/funds.ts'
import { formatUnits, maxDecimals, parseUnits } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** An order in a token's own unit is shown in dollars as well. */
export const fiatUnitOf = ({ fulfillment }: OrderRead): string => (fulfillment?.fiat_unit ?? 'usd').toUpperCase()

/**
 * Returns about how much the funds are worth in the order's fiat currency, and with `fee` what they cost in all. It is for display only, rounded
 * to the nearest cent. It is undefined if the order does not state prices that fit together, or if the fee is in another currency.
 */
export const fiatOf = (order: OrderRead, { raw, currency }: Funds, fee?: NetworkFee): Fiat | undefined => {
  const unit = fiatUnitOf(order)
  const isDollar = unit === 'USD'
  if ((fee && fee.unit.toUpperCase() !== unit) || (!isDollar && !hasRateOf(order, currency))) return undefined
  const price = parseUnits(String(currency.price_usd), maxDecimals)
  const unitPrice = parseUnits(order.fulfillment?.fiat_unit_usd ?? (isDollar ? '1' : ''), maxDecimals)
  const feeCents = fee ? parseUnits(String(fee.amount), 2) : 0n
  if (!price || !unitPrice || feeCents === undefined) return undefined
  const cents = ((raw * price * 200n) / (unitPrice * 10n ** BigInt(currency.decimals)) + 1n) / 2n
  return cents > 0n ? { decimal: formatUnits(cents + feeCents, 2), unit } : undefined
}

/** The order states the fiat currency's rate of the quote that pays `asset`. With several destinations, other currencies have other quotes. */
const hasRateOf = ({ settlements, fulfillment }: OrderRead, currency: CurrencyRead): boolean =>
  !settlements?.length || (fulfillment?.asset !== undefined && sameCurrency(fulfillment.asset, currency))

/** Returns what the provider charges, all costs included, while its page can be paid. */
export const chargedTotalOf = (order: OrderRead): Fiat | undefined => {
  const data = order.payment?.steps?.find((step) => step.data?.quote)?.data
  return data?.quote && !isCardOver(data) ? { decimal: data.quote.source_total_amount, unit: data.quote.source_currency } : undefined
}
