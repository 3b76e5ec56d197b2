import { checksumAddress } from 'viem'

/** The case of an EVM address's letters is a checksum (EIP-55). One in a single case has none and passes, as do other families. */
export function hasValidChecksum(address: string): boolean {
  const letters = /^0x([0-9a-f]{40})$/i.exec(address)?.[1]
  if (letters === undefined || letters === letters.toLowerCase() || letters === letters.toUpperCase()) return true
  return checksumAddress(`0x${letters.toLowerCase()}`).slice(2) === letters
}
