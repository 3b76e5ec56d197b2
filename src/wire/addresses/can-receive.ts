import { type ChainFamily, nativeAddress } from '../chain-facts.ts'
import { bitcoin } from './bitcoin.ts'
import type { AddressCodec, Network } from './codec.ts'
import { readHex } from './hex.ts'
import { familyOf, networkOf } from './networks.ts'
import { solana } from './solana.ts'
import { sui } from './sui.ts'

/** The checksum of an EVM address needs code of the wallets, so here the page reads only its form, and the service verifies the checksum. */
const readers: { readonly [F in ChainFamily]: (network: Network) => Pick<AddressCodec, 'read' | 'nobody'> } = {
  evm: () => ({ read: (text) => readHex(text, 40), nobody: nativeAddress }),
  bitcoin: bitcoin.addressesOn,
  solana: solana.addressesOn,
  sui: sui.addressesOn,
}

const networks: readonly Network[] = ['main', 'test', 'local']

/**
 * Whether a payer may give this text as the address for refunds. A newer service may know networks that this page does not. A chain of a
 * local node has the id of a public one, so the order's own deposit address shows which network it is.
 */
export function canReceive(chainId: number, text: string, deposit?: string): boolean {
  const family = familyOf(chainId)
  if (!family) return /^\w{20,128}$/.test(text)
  const isDeposits = (network: Network) => deposit !== undefined && readers[family](network).read(deposit) !== undefined
  const usual = networkOf(chainId)
  const network = isDeposits(usual) ? usual : (networks.find(isDeposits) ?? usual)
  const { read, nobody } = readers[family](network)
  const address = read(text)
  return address !== undefined && address !== nobody
}
