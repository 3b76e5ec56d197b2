import type { FiatCurrency } from '../../../src/wire/currency.ts'
import { formatUnits } from '../../../src/wire/money.ts'

/** Decimal places of each fiat currency, as banks print it. */
export const minorDigits: Record<FiatCurrency, number> = { usd: 2, eur: 2, mxn: 2, brl: 2, gbp: 2, cop: 2 }

/** Formats minor units with all their decimal places: '1234.50'. */
export function fiatDecimal(value: bigint, digits: number): string {
  const [whole = '0', fraction = ''] = formatUnits(value, digits).split('.')
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`
}
