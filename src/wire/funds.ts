import type { CurrencyRead } from './currency.ts'
import { canonicalToken } from './addresses/canonical.ts'

/** The amount `raw` is in the smallest units of the currency. */
export interface Funds {
  readonly raw: bigint
  readonly currency: CurrencyRead
}

type CurrencyName = Pick<CurrencyRead, 'address' | 'chain_id'>

/** URLs and forms use this key, because the service's `id` is opaque. */
export const currencyKey = ({ chain_id, address }: CurrencyName): string => `${chain_id}-${canonicalToken(chain_id, address) ?? 'native'}`

export const sameCurrency = (a: CurrencyName, b: CurrencyName): boolean => currencyKey(a) === currencyKey(b)

const keyShape = /^(\d{1,14})-([A-Za-z0-9:_]{1,160})$/

export const parseCurrencyKey = (key: string): { chain_id: number; address: string | null } | undefined => {
  const match = keyShape.exec(key)
  if (!match) return undefined
  const [, chain = '', address = ''] = match
  return { chain_id: Number(chain), address: address === 'native' ? null : address }
}
