import type { CurrencyRead } from './currency.ts'
import { nativeAddress } from './chain-facts.ts'

/** The amount `raw` is in the smallest units of the currency. */
export interface Funds {
  readonly raw: bigint
  readonly currency: CurrencyRead
}

type CurrencyName = Pick<CurrencyRead, 'address' | 'chain_id'>

const isEvm = (address: string) => /^0x[0-9a-f]{40}$/i.test(address)

/** URLs and forms use this key, because the service's `id` is opaque. EVM addresses are compared in lower case, all others exactly. */
export const currencyKey = ({ chain_id, address }: CurrencyName): string => {
  if (!address || address === nativeAddress) return `${chain_id}-native`
  return `${chain_id}-${isEvm(address) ? address.toLowerCase() : address}`
}

export const sameCurrency = (a: CurrencyName, b: CurrencyName): boolean => currencyKey(a) === currencyKey(b)

export const uniqueCurrencies = (currencies: readonly CurrencyRead[]): CurrencyRead[] => [
  ...new Map(currencies.map((currency) => [currencyKey(currency), currency])).values(),
]

const keyShape = /^(\d{1,14})-([A-Za-z0-9:_]{1,160})$/

export const parseCurrencyKey = (key: string): { chain_id: number; address: string | null } | undefined => {
  const match = keyShape.exec(key)
  if (!match) return undefined
  const [, chain = '', address = ''] = match
  return { chain_id: Number(chain), address: address === 'native' ? null : address }
}
