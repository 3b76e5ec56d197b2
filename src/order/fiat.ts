import type { NetworkFee } from '../wire/currency.ts'
import type { Funds } from '../wire/funds.ts'
import { formatUnits, maxDecimals, parseUnits } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'

export interface Fiat {
  readonly decimal: string
  readonly unit: string
}

/**
 * Returns about how much the funds are worth in the order's fiat currency, and with `fee` what they cost in all. It is for display only, rounded
 * to the nearest cent. It is undefined if the order does not state the prices, or if the fee is in another currency.
 */
export const fiatOf = ({ fulfillment }: OrderRead, { raw, currency }: Funds, fee?: NetworkFee): Fiat | undefined => {
  const unit = (fulfillment?.fiat_unit ?? 'usd').toUpperCase()
  const price = parseUnits(String(currency.price_usd), maxDecimals)
  const unitPrice = parseUnits(fulfillment?.fiat_unit_usd ?? (unit === 'USD' ? '1' : ''), maxDecimals)
  const feeCents = fee ? fee.unit.toUpperCase() === unit && parseUnits(String(fee.amount), 2) : 0n
  if (!price || !unitPrice || typeof feeCents !== 'bigint') return undefined
  const cents = ((raw * price * 200n) / (unitPrice * 10n ** BigInt(currency.decimals)) + 1n) / 2n
  return cents > 0n ? { decimal: formatUnits(cents + feeCents, 2), unit } : undefined
}

/** Returns what a card is charged, all costs included, once the card provider has said it. */
export const cardTotalOf = (order: OrderRead): Fiat | undefined => {
  const quote = order.payment?.steps?.find(({ data }) => data?.quote)?.data?.quote
  return quote && { decimal: quote.source_total_amount, unit: quote.source_currency }
}
