import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** Returns the part of the price that pays the network for the settlement. It is undefined if there is none, or more than the price. */
export function includedFee({ payment }: OrderRead): Funds | undefined {
  const { amount, breakdown, currency } = payment?.input ?? {}
  if (!amount || !breakdown || !currency) return undefined
  const raw = BigInt(breakdown.gas.raw)
  return raw > 0n && raw < BigInt(amount.raw) ? { raw, currency } : undefined
}
