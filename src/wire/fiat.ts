import type { NetworkFee } from './currency.ts'
import type { Funds } from './funds.ts'
import { formatUnits, maxDecimals, parseUnits } from './money.ts'
import type { OrderRead } from './order-read.ts'

/** An amount of a fiat currency, as a plain decimal. */
export interface Fiat {
  readonly decimal: string
  readonly unit: string
}

/**
 * Returns about how much the funds are worth in the order's fiat currency, and with `fee` what they cost in all. It is for display only, rounded
 * to the nearest cent. It is undefined if the currency has no price in it, or if the fee is in another currency. An order in a token's own unit is
 * shown in dollars.
 */
export const fiatOf = ({ fulfillment }: OrderRead, { raw, currency }: Funds, fee?: NetworkFee): Fiat | undefined => {
  const unit = (fulfillment?.fiat_unit ?? 'usd').toUpperCase()
  if (fee && fee.unit.toUpperCase() !== unit) return undefined
  const price = parseUnits(String(currency.price_usd), maxDecimals)
  const unitPrice = parseUnits(unit === 'USD' ? '1' : (currency.fiat_unit_usd ?? ''), maxDecimals)
  const feeCents = fee ? parseUnits(String(fee.amount), 2) : 0n
  if (!price || !unitPrice || feeCents === undefined) return undefined
  const cents = ((raw * price * 200n) / (unitPrice * 10n ** BigInt(currency.decimals)) + 1n) / 2n
  return cents > 0n ? { decimal: formatUnits(cents + feeCents, 2), unit } : undefined
}
