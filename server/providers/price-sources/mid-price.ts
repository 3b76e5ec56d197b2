import { formatUnits, parseUnits } from '../../../src/wire/money.ts'

const places = 18
/** Wider apart than this, in hundredths of a percent, bid and ask are no price. */
const mostSpreadBps = 100n

/** Returns the exact middle of bid and ask. A last trade may be old; a bid and an ask are offers that stand now. */
export function midPrice(bid: string, ask: string): string | undefined {
  const [low, high] = [parseUnits(bid, places), parseUnits(ask, places)]
  if (low === undefined || high === undefined || low <= 0n || high < low) return undefined
  if ((high - low) * 10_000n > low * mostSpreadBps) return undefined
  return formatUnits((low + high) / 2n, places)
}

const inverseDigits = 36

/** Returns what one unit costs where one dollar buys `rate` units, or undefined if that is no positive number. */
export function inverse(rate: string): string | undefined {
  const units = parseUnits(rate, places)
  if (units === undefined || units <= 0n) return undefined
  const price = 10n ** BigInt(places + inverseDigits) / units
  return price > 0n ? formatUnits(price, inverseDigits) : undefined
}
