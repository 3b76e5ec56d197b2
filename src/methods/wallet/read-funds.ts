import type { CurrencyRead } from '../../wire/currency.ts'
import type { Funds } from '../../wire/funds.ts'

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const isText = (value: unknown): value is string => typeof value === 'string'

/** Returns undefined for what is not an amount of a currency. Schemas would add more to the page's first script than this. */
export const readFunds = (raw: unknown, currency: unknown): Funds | undefined => {
  if (!isText(raw) || !/^\d{1,78}$/.test(raw) || !isRecord(currency)) return undefined
  const { chain_id, address = null, decimals, symbol, name } = currency
  if (!Number.isSafeInteger(chain_id) || !Number.isInteger(decimals) || Number(decimals) < 0 || Number(decimals) > 36) return undefined
  if (!isText(symbol) || (address !== null && !isText(address))) return undefined
  const read: CurrencyRead = { chain_id: Number(chain_id), address, decimals: Number(decimals) as CurrencyRead['decimals'], symbol }
  return { raw: BigInt(raw), currency: isText(name) ? { ...read, name } : read }
}
