import type { Fiat } from '../wire/fiat.ts'
import { formatUnits, parseUnits } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'

export interface OrderLine {
  readonly name: string
  readonly description: string | undefined
  readonly quantity: number | undefined
  /** This is the exact quantity × unit price, or undefined if it cannot be calculated. A missing quantity counts as 1. */
  readonly total: string | undefined
  readonly unit: string
  readonly hasImage: boolean
}

export const linesOf = (order: OrderRead): readonly OrderLine[] =>
  (order.metadata?.items ?? []).map((item) => ({
    name: item.name,
    description: item.description,
    quantity: item.quantity,
    total: item.unit_price === undefined ? undefined : times(item.unit_price, item.quantity ?? 1),
    unit: item.currency ?? order.fulfillment?.fiat_unit ?? 'usd',
    hasImage: item.image !== undefined,
  }))

/** Adds up the items if all have prices in the same unit. Otherwise it is the order's amount, if that was requested in US dollars. */
export const totalOf = (order: OrderRead): Fiat | undefined => {
  const lines = linesOf(order)
  const [first] = lines
  if (first && lines.every((line) => line.total !== undefined && line.unit === first.unit)) {
    return { decimal: sum(lines.map((line) => line.total ?? '0')), unit: first.unit }
  }
  const { fiat_unit, amount } = order.fulfillment ?? {}
  return fiat_unit?.toLowerCase() === 'usd' && amount?.value_usd !== undefined
    ? { decimal: amount.value_usd.toFixed(2), unit: fiat_unit }
    : undefined
}

/** Sums are exact to this many decimal places. A price is a JSON number, which `String` turns into its shortest decimal. */
const places = 18

const times = (price: number, quantity: number): string | undefined => {
  const raw = parseUnits(String(price), places)
  return raw !== undefined && Number.isSafeInteger(quantity) && quantity >= 0 ? formatUnits(raw * BigInt(quantity), places) : undefined
}

const sum = (decimals: readonly string[]): string =>
  formatUnits(
    decimals.reduce((total, decimal) => total + (parseUnits(decimal, places) ?? 0n), 0n),
    places,
  )
