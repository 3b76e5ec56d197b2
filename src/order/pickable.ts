import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey, sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'

export interface Pickable {
  readonly key: string
  readonly currency: CurrencyRead
  /** It is the settlement asset, so nothing has to be converted. */
  readonly own: boolean
  /** The order is currently quoted in it. */
  readonly chosen: boolean
  readonly raw: bigint | undefined
  /** The amount is an estimate: it would have to be converted, and only a quote is exact. */
  readonly about: boolean
}

/** The settlement asset comes first, then everything else that the service takes. A search lists only what it found. */
export const pickable = (
  order: OrderRead,
  currencies: readonly CurrencyRead[] | undefined,
  query: string | undefined,
): readonly Pickable[] => {
  const { asset, amount } = order.fulfillment ?? {}
  const isOwn = (currency: CurrencyRead) => asset !== undefined && sameCurrency(asset, currency)
  const listed = currencies ?? []
  const own = asset && (!query || listed.some(isOwn)) ? [asset] : []
  const quoted = order.payment ? payCurrency(order) : undefined
  return [...own, ...listed.filter((currency) => !isOwn(currency))].map((currency) => ({
    key: currencyKey(currency),
    currency,
    own: isOwn(currency),
    chosen: quoted !== undefined && sameCurrency(quoted, currency),
    raw: isOwn(currency) && amount ? BigInt(amount.raw) : estimate(amount?.value_usd, currency),
    about: !isOwn(currency),
  }))
}

/**
 * Roughly how much of a currency a value comes to, for a list that is shown before any quote is requested. It is rounded to nearest and is
 * for display only: the exact amount comes with the quote, and only that is ever sent or encoded.
 */
const estimate = (valueUsd: number | undefined, { price_usd, decimals }: CurrencyRead): bigint | undefined => {
  if (!valueUsd || !price_usd || price_usd <= 0) return undefined
  const about = valueUsd / price_usd
  if (!Number.isFinite(about)) return undefined
  const places = Math.min(decimals, Math.max(2, 5 - Math.floor(Math.log10(about))))
  const [whole = '0', fraction = ''] = about.toFixed(Math.min(places, 20)).split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}
