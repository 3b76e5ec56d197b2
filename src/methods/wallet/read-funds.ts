import type { CurrencyRead } from '../../wire/currency.ts'
import type { Funds } from '../../wire/funds.ts'

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

export const isText = (value: unknown): value is string => typeof value === 'string'

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Returns undefined for what is not an amount of a currency. Schemas would add more to the page's first script than this. */
export const readFunds = (raw: unknown, currency: unknown): Funds | undefined => {
  if (!isText(raw) || !/^\d{1,78}$/.test(raw) || !isRecord(currency)) return undefined
  const { chain_id, address = null, decimals, symbol, price_usd, fiat_unit_usd } = currency
  if (!isWhole(chain_id) || !isWhole(decimals) || decimals > 36 || !isText(symbol) || (address !== null && !isText(address)))
    return undefined
  const price = {
    price_usd: typeof price_usd === 'number' ? price_usd : undefined,
    fiat_unit_usd: isText(fiat_unit_usd) ? fiat_unit_usd : undefined,
  }
  return { raw: BigInt(raw), currency: { chain_id, address, decimals: decimals as CurrencyRead['decimals'], symbol, ...price } }
}
