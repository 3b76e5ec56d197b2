import type { ChainFamily } from '../chain-facts.ts'
import { bitcoin } from './bitcoin.ts'
import type { AddressCodec, Codec, Network } from './codec.ts'
import { evm } from './evm.ts'
import { familyOf, networkOf } from './networks.ts'
import { solana } from './solana.ts'
import { sui } from './sui.ts'

/** The service reads addresses and hashes through this table and in no other way. */
export const codecs: { readonly [F in ChainFamily]: Codec } = { evm, bitcoin, solana, sui }

/** Returns undefined for a chain that we do not know. */
export function addressesOn(chainId: number, network: Network = networkOf(chainId)): AddressCodec | undefined {
  const family = familyOf(chainId)
  return family && codecs[family].addressesOn(network)
}

export function parseHash(chainId: number, text: string): string | undefined {
  const family = familyOf(chainId)
  return family && codecs[family].parseHash(text)
}
