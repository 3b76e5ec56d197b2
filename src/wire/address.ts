import { isBech32 } from './bech32.ts'
import { chainFacts, type ChainFamily, nativeAddress } from './chain-facts.ts'

/** This catches texts that were cut off, mistyped or copied from another network. It cannot tell whether anybody owns the address. */
export const isAddressOn = (chainId: number, text: string): boolean => {
  const family = chainFacts(chainId)?.family
  return family !== undefined && checks[family](text)
}

/** Whether a payer may give this text as the address for refunds. A newer service may know networks that this page does not. */
export const canReceive = (chainId: number, text: string): boolean =>
  chainFacts(chainId) ? isAddressOn(chainId, text) && text.toLowerCase() !== nativeAddress : /^\w{20,128}$/.test(text)

const checks: { readonly [F in ChainFamily]: (text: string) => boolean } = {
  // Upper and lower case are a checksum (EIP-55), which needs keccak, so only the service verifies it.
  evm: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
  bitcoin: (text) => isBech32('bc', text) || /^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(text),
  solana: (text) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && bytesOfBase58(text) === 32,
  sui: (text) => /^0x[0-9a-fA-F]{64}$/.test(text),
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const bytesOfBase58 = (text: string): number => {
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  let value = 0n
  for (const letter of text) value = value * 58n + BigInt(alphabet.indexOf(letter))
  return zeros + (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2))
}
