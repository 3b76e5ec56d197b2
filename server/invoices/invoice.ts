import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { InvoiceData } from '../../src/wire/invoice.ts'
import type { OrderMetadata } from '../../src/wire/order.ts'
import { fiatDecimal, minorDigits, type Ratio, ratioOf } from '../orders/model/rate.ts'

export interface InvoiceLine {
  readonly name: string
  readonly quantity: string
  readonly unitPrice: string
  /** The rate is a percentage without trailing zeros after the point, and '0' if none was given. */
  readonly rate: string
  readonly amount: bigint
  readonly tax: bigint
}

/** Amounts are in the currency's minor units, which have `digits` decimals. */
export interface InvoiceTotals {
  readonly digits: number
  readonly lines: readonly InvoiceLine[]
  readonly subtotal: bigint
  /** Each tax rate in use, except for zero, has one entry, in order of first use. */
  readonly taxes: readonly { readonly rate: string; readonly amount: bigint }[]
  readonly total: bigint
}

/** A line's amount and tax are exact products, each rounded half-up to the minor unit before summing, so that printed numbers add up. */
export function invoiceTotals({ items }: Pick<InvoiceData, 'items'>, unit: FiatCurrency): InvoiceTotals {
  const digits = minorDigits[unit]
  const lines = items.map(({ name, quantity, unitPrice, tax = '0' }): InvoiceLine => {
    const product = times(ratioOf(quantity), ratioOf(unitPrice))
    const rate = plainRate(tax)
    return { name, quantity, unitPrice, rate, amount: halfUp(product, digits), tax: halfUp(times(product, percent(ratioOf(tax))), digits) }
  })
  const taxes = new Map<string, bigint>()
  for (const line of lines) if (line.rate !== '0') taxes.set(line.rate, (taxes.get(line.rate) ?? 0n) + line.tax)
  const subtotal = sum(lines.map((line) => line.amount))
  return {
    digits,
    lines,
    subtotal,
    taxes: [...taxes].map(([rate, amount]) => ({ rate, amount })),
    total: subtotal + sum([...taxes.values()]),
  }
}

const times = (a: Ratio, b: Ratio): Ratio => ({ numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator })
const percent = ({ numerator, denominator }: Ratio): Ratio => ({ numerator, denominator: denominator * 100n })
const halfUp = ({ numerator, denominator }: Ratio, digits: number): bigint =>
  (2n * numerator * 10n ** BigInt(digits) + denominator) / (2n * denominator)
const sum = (all: readonly bigint[]): bigint => all.reduce((total, amount) => total + amount, 0n)

/** '7.00' and '7' are the same rate. */
const plainRate = (rate: string): string => (rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate)

/** Order items have JSON numbers, so a decimal that a double may not represent exactly is left out. */
const exactly = (decimal: string): number | undefined =>
  decimal.replace('.', '').replace(/^0+/, '').length <= 15 ? Number(decimal) : undefined

const maxItems = 100

/** Adds the tax as one more item, so that the items add up to the order's amount. An invoice with too many lines becomes one item. */
export function orderMetadataOf(data: InvoiceData, totals: InvoiceTotals, unit: FiatCurrency): OrderMetadata {
  const price = (value: bigint) => exactly(fiatDecimal(value, totals.digits))
  const tax = sum(totals.taxes.map(({ amount }) => amount))
  const reference = data.invoice.no
  if (totals.lines.length + 1 > maxItems)
    return { reference, items: [{ name: `Invoice ${reference}`, quantity: 1, unit_price: price(totals.total), currency: unit }] }
  const lines = totals.lines.map((line) => {
    const [count, unitPrice] = [exactly(line.quantity), exactly(line.unitPrice)]
    // An order item has a whole quantity and a price no finer than the currency. Any other line becomes one item that describes both.
    const isPlain =
      count !== undefined &&
      Number.isInteger(count) &&
      count >= 1 &&
      count <= 1_000_000 &&
      (line.unitPrice.split('.')[1]?.length ?? 0) <= totals.digits
    return isPlain
      ? { name: line.name, quantity: count, unit_price: unitPrice, currency: unit }
      : {
          name: line.name,
          description: `${line.quantity} × ${line.unitPrice}`.slice(0, 1000),
          quantity: 1,
          unit_price: price(line.amount),
          currency: unit,
        }
  })
  return { reference, items: tax > 0n ? [...lines, { name: 'Tax', unit_price: price(tax), currency: unit }] : lines }
}
