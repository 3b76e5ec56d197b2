import { chainFacts, type ChainFamily, nativeAddress } from '../chain-facts.ts'

/**
 * Brings an address that is known to be one of its family into the form in which two spellings are equal. It verifies nothing, so that the
 * page's first script can compare currencies without the codecs. EVM addresses ignore case, and in the other families case is kept.
 */
export const canonicalIn = (family: ChainFamily | undefined, address: string): string =>
  family === 'evm' ? address.toLowerCase() : address

export const canonicalAddress = (chainId: number, address: string): string => canonicalIn(chainFacts(chainId)?.family, address)

/** A token's address may also be null, missing or the zero address, which all mean the chain's native coin. */
export const canonicalToken = (chainId: number, address: string | null | undefined): string | null =>
  !address || address === nativeAddress ? null : canonicalIn(chainFacts(chainId)?.family, address)
