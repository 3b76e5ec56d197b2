import { formatUnits } from '../wire/money.ts'
import type { Recall } from './recall.ts'

/** Western digits everywhere: amounts are typed into wallets, and those read no others. */
const latin = { numberingSystem: 'latn' } as const

export interface Numbers {
  /** Exact and for reading: '1,234.50', '0.014231'. */
  amount(raw: bigint, decimals: number): string
  /** A decimal amount of a fiat currency: '$42.50'. */
  fiat(decimal: string, unit: string): string
  count(value: number): string
  /** A plain decimal text as it is read: '1,234.5'. */
  decimal(decimal: string): string
}

/** For wallets and for copying: '1234.50'. No separators, a dot, two places at least where the currency has them. */
export const plainAmount = (raw: bigint, decimals: number): string => {
  const [whole = '0', fraction = ''] = formatUnits(raw, decimals).split('.')
  const places = fraction.padEnd(Math.min(2, decimals), '0')
  return places ? `${whole}.${places}` : whole
}

export const createNumbers = (locale: string, recall: Recall): Numbers => {
  // The whole part as a bigint and the rest as text: no float ever holds money, on any browser.
  const grouped = (decimal: string): string => {
    const { whole, point } = formatsOf(locale)
    const [left = '0', right] = decimal.split('.')
    return whole.format(BigInt(left)) + (right ? point + right : '')
  }
  const priced = (decimal: string, unit: string): string => {
    const style = fiatStyle(locale, unit)
    const [left = '0', right = ''] = decimal.split('.')
    const places = style?.resolvedOptions().maximumFractionDigits ?? 2
    const number = grouped(places > 0 || right ? `${left}.${right.padEnd(places, '0')}` : left)
    if (!style) return `${number} ${unit.toUpperCase()}`
    // A number with one digit on either side of the point shows where the unit stands.
    return style
      .formatToParts(1.1)
      .map(({ type, value }) => (type === 'integer' ? number : type === 'decimal' || type === 'fraction' ? '' : value))
      .join('')
  }
  const decimal = (text: string) => recall(text, () => grouped(text))
  return {
    amount: (raw, decimals) => decimal(plainAmount(raw, decimals)),
    fiat: (text, unit) => recall(`${text} ${unit}`, () => priced(text, unit)),
    count: (value) => decimal(value.toFixed()),
    decimal,
  }
}

/** Once for each language: a format takes longer to make than to use. */
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

/** Undefined for a unit that is no currency code: a service may name any. */
const fiatStyle = (locale: string, unit: string): Intl.NumberFormat | undefined =>
  /^[a-z]{3}$/i.test(unit)
    ? new Intl.NumberFormat(locale, { ...latin, style: 'currency', currency: unit, currencyDisplay: 'narrowSymbol' })
    : undefined
