import { formatUnits } from '../wire/money.ts'
import type { FormatCache } from './format-cache.ts'

/** All languages use Western digits, because payers type amounts into wallets, many of which accept no others. */
const latin = { numberingSystem: 'latn' } as const

export interface Numbers {
  /** Formats the exact amount for reading: '1,234.50' or '0.014231'. */
  amount(raw: bigint, decimals: number): string
  /** Formats a decimal amount of a fiat currency: '$42.50'. */
  fiat(decimal: string, unit: string): string
  count(value: number): string
  /** Adds the language's separators to a plain decimal: '1,234.5'. */
  decimal(decimal: string): string
}

/** Wallets accept a copied amount like '1234.50': no separators, a dot, and at least two places if the currency has them. */
export const plainAmount = (raw: bigint, decimals: number): string => {
  const [whole = '0', fraction = ''] = formatUnits(raw, decimals).split('.')
  const places = fraction.padEnd(Math.min(2, decimals), '0')
  return places ? `${whole}.${places}` : whole
}

export const createNumbers = (locale: string, cached: FormatCache): Numbers => {
  // The whole part is a bigint and the fraction stays text, because a float cannot represent every amount exactly.
  const grouped = (decimal: string): string => {
    const { whole, point } = formatsOf(locale)
    const [left = '0', right] = decimal.split('.')
    // A number of another service may be as small or large as 1e-9, which is shown as it is.
    if (/\D/.test(left)) return decimal
    return whole.format(BigInt(left)) + (right ? point + right : '')
  }
  const priced = (decimal: string, unit: string): string => {
    const style = fiatStyle(locale, unit)
    const [left = '0', right = ''] = decimal.split('.')
    const places = style?.resolvedOptions().maximumFractionDigits ?? 2
    const number = grouped(places > 0 || right ? `${left}.${right.padEnd(places, '0')}` : left)
    if (!style) return `${number} ${unit.toUpperCase()}`
    // Formatting 1.1 shows where this language puts the unit, and the exact number then replaces its digits.
    return style
      .formatToParts(1.1)
      .map(({ type, value }) => (type === 'integer' ? number : type === 'decimal' || type === 'fraction' ? '' : value))
      .join('')
  }
  const decimal = (text: string) => cached(text, () => grouped(text))
  return {
    amount: (raw, decimals) => decimal(plainAmount(raw, decimals)),
    fiat: (text, unit) => cached(`${text} ${unit}`, () => priced(text, unit)),
    count: (value) => decimal(value.toFixed()),
    decimal,
  }
}

/** Formats are cached by language, because creating one takes longer than using it. */
const formats = new Map<string, { readonly whole: Intl.NumberFormat; readonly point: string }>()
const formatsOf = (locale: string) => {
  const known = formats.get(locale) ?? {
    whole: new Intl.NumberFormat(locale, { ...latin, maximumFractionDigits: 0 }),
    point:
      new Intl.NumberFormat(locale, { ...latin, minimumFractionDigits: 1 }).formatToParts(0.5).find((part) => part.type === 'decimal')
        ?.value ?? '.',
  }
  formats.set(locale, known)
  return known
}

/** The narrow symbol of these is the dollar's, and a payer must not take pesos for dollars. */
const pesos = /^(mxn|cop)$/i

/** Returns undefined for a unit that is not a currency code, because `Intl` would throw and a service may send any unit. */
const fiatStyle = (locale: string, unit: string): Intl.NumberFormat | undefined =>
  /^[a-z]{3}$/i.test(unit)
    ? new Intl.NumberFormat(locale, {
        ...latin,
        style: 'currency',
        currency: unit,
        currencyDisplay: pesos.test(unit) ? 'symbol' : 'narrowSymbol',
      })
    : undefined
