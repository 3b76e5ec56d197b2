import { checksumAddress } from 'viem'
import { nativeAddress } from '../chain-facts.ts'
import type { AddressCodec, Codec } from './codec.ts'
import { readHex } from './hex.ts'

const read = (text: string): string | undefined => readHex(text, 40)

/** Writes the checksum into the case of the letters (EIP-55). */
const show = (address: string): string => checksumAddress(address as `0x${string}`)

/** An address in a single case has no checksum and is accepted. */
function hasWrongChecksum(text: string, address: string): boolean {
  const digits = text.slice(2)
  return text !== address && digits !== digits.toUpperCase() && show(address) !== text
}

/** An address is the same on every network. */
const addresses: AddressCodec = {
  parse(text) {
    const address = read(text)
    if (address === undefined) return { problem: 'malformed' }
    return hasWrongChecksum(text, address) ? { problem: 'checksum' } : { address }
  },
  read,
  show,
  nobody: nativeAddress,
}

export const evm: Codec = {
  addressesOn: () => addresses,
  parseHash: (text) => readHex(text, 64),
}
