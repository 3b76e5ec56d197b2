import { type ChainId, type ChainFamily, chainFacts } from '../../../src/wire/chain.ts'
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

const shapes: Record<ChainFamily, RegExp> = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  bitcoin: /^(bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  sui: /^0x[0-9a-fA-F]{64}$/,
}

export function isAddressOn(chainId: number, address: string): boolean {
  const facts = chainFacts(chainId)
  return facts !== undefined && shapes[facts.family].test(address)
}
