import type { ChainId } from '../../../src/wire/chain.ts'
import { nativeAddress } from '../../../src/wire/currency.ts'

/** An asset is a currency on one chain. Its `address` is null for the native coin. */
export interface Asset {
  readonly chainId: ChainId
  readonly address: string | null
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

/** The zero address and null both mean the native coin. EVM addresses become lower case, so that two spellings compare as equal. */
export function canonicalAddress(address: string | null | undefined): string | null {
  if (address === null || address === undefined || address === nativeAddress) return null
  return /^0x[0-9a-f]{40}$/i.test(address) ? address.toLowerCase() : address
}

export const sameAsset = (a: Pick<Asset, 'chainId' | 'address'>, b: Pick<Asset, 'chainId' | 'address'>): boolean =>
  a.chainId === b.chainId && canonicalAddress(a.address) === canonicalAddress(b.address)
