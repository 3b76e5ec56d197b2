import type { CurrencyRead } from '../wire/currency.ts'

/**
 * About how much of a currency a value comes to, for a list that is read before any price is asked for. Rounded up to
 * six significant digits: the exact amount comes with the quote, and only that is ever sent or encoded.
 */
export const estimate = (valueUsd: number | undefined, { price_usd, decimals }: CurrencyRead): bigint | undefined => {
  if (!valueUsd || !price_usd || price_usd <= 0) return undefined
  const about = valueUsd / price_usd
  if (!Number.isFinite(about)) return undefined
  const places = Math.min(decimals, Math.max(2, 5 - Math.floor(Math.log10(about))))
  const [whole = '0', fraction = ''] = about.toFixed(Math.min(places, 20)).split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}
