import type { FiatCurrency } from '../../../src/wire/currency.ts'
import { formatUnits } from '../../../src/wire/money.ts'

/** A ratio is an exact fraction, because floats would round prices. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

export function ratioOf(decimal: string): Ratio {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) }
}

export const ceilDiv = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator
export const ceilOf = ({ numerator, denominator }: Ratio): bigint => ceilDiv(numerator, denominator)

/** Converts `amount` units priced `from` into units priced `to`, as an exact fraction of smallest units. */
export const converted = (amount: Ratio, from: Ratio, to: Ratio, decimals: number): Ratio => ({
  numerator: amount.numerator * from.numerator * to.denominator * 10n ** BigInt(decimals),
  denominator: amount.denominator * from.denominator * to.numerator,
})

const mostPlaces = 8
const leastPlaces = 2

/** Rounds up to an amount that people can type: at most 8 decimal places. */
export function roundUpToPlaces(raw: bigint, decimals: number, places = mostPlaces): bigint {
  if (decimals <= places) return raw
  const step = 10n ** BigInt(decimals - places)
  return ceilDiv(raw, step) * step
}

/**
 * Rounds up to few digits, because the payer types the amount or compares it with what a wallet shows. It adds less than a cent and a half, and
 * less than a thousandth, unless eight decimal places are too few for that.
 */
export function roundUpToFewDigits(raw: bigint, decimals: number, priceUsd: string): bigint {
  const price = ratioOf(priceUsd)
  const centAndAHalf = (15n * price.denominator * 10n ** BigInt(decimals)) / (1000n * price.numerator)
  const thousandth = raw / 1000n
  const most = centAndAHalf < thousandth ? centAndAHalf : thousandth
  const zeros = String(most).length - 1
  return roundUpToPlaces(raw, decimals, Math.min(mostPlaces, Math.max(leastPlaces, decimals - zeros)))
}

/** The result is for display only, since a float cannot represent every amount. */
export function displayUsd(raw: bigint, decimals: number, priceUsd: string): number {
  const price = ratioOf(priceUsd)
  const tenThousandths = (raw * price.numerator * 10_000n) / (price.denominator * 10n ** BigInt(decimals))
  return Number(tenThousandths) / 10_000
}

/** ISO 4217 defines these decimal places. */
export const minorDigits: Record<FiatCurrency, number> = { usd: 2, eur: 2, mxn: 2, brl: 2, gbp: 2, cop: 2 }

/** Formats minor units with all their decimal places: '1234.50'. */
export function fiatDecimal(value: bigint, digits: number): string {
  const [whole = '0', fraction = ''] = formatUnits(value, digits).split('.')
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`
}
