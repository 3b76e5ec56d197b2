import { formatUnits, maxDecimals, parseUnits } from '../../../src/wire/money.ts'

const dollar = 10n ** BigInt(maxDecimals)
/** Wider apart than one percent, bid and ask are no price. */
const leastRatio = 100n

/** Returns the exact middle of bid and ask. The last trade may be old, while both are offers that stand now. */
export function midPrice(bid: string, ask: string): string | undefined {
  const [low, high] = [parseUnits(bid, maxDecimals - 1), parseUnits(ask, maxDecimals - 1)]
  if (low === undefined || high === undefined || low === 0n || high < low) return undefined
  if ((high - low) * leastRatio > low) return undefined
  return formatUnits((low + high) * 5n, maxDecimals)
}

/** Returns what one unit costs where one dollar buys `rate` units. */
export function inverse(rate: string): string | undefined {
  const units = parseUnits(rate, maxDecimals)
  const price = units === undefined || units === 0n ? 0n : (dollar * dollar) / units
  return price === 0n ? undefined : formatUnits(price, maxDecimals)
}
