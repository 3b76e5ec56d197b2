import type { Fiat } from '../wire/fiat.ts'
import { formatUnits, parseUnits, subtractToZero } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fiatOf } from './fiat.ts'
import type { Funding } from './funding.ts'

/**
 * Returns about how much of a partly paid order has been received, in fiat money: what the whole is worth, less what the rest is. If each were
 * rounded by itself, they could be a cent off.
 */
export const receivedWorthOf = (order: OrderRead, { currency, required, due }: Funding): Fiat | undefined => {
  const whole = fiatOf(order, { raw: required, currency })
  if (!whole) return undefined
  const left = fiatOf(order, { raw: due, currency })
  const cents = subtractToZero(centsOf(whole), left ? centsOf(left) : 0n)
  return cents > 0n ? { decimal: formatUnits(cents, 2), unit: whole.unit } : undefined
}

const centsOf = ({ decimal }: Fiat): bigint => parseUnits(decimal, 2) ?? 0n
