import type { Fiat } from './fiat.ts'
import { formatUnits, parseUnits } from './money.ts'

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
