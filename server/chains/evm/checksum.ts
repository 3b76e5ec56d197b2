import { checksumAddress } from 'viem'

/**
 * EIP-55: the case of an EVM address's letters is a checksum that finds a mistyped digit. Who writes all of them small, or all of them
 * large, gave none. Addresses of other families carry their own checksums, and are not judged here.
 */
export function isChecksumRight(address: string): boolean {
  const letters = /^0x([0-9a-f]{40})$/i.exec(address)?.[1]
  if (letters === undefined || letters === letters.toLowerCase() || letters === letters.toUpperCase()) return true
  return checksumAddress(`0x${letters.toLowerCase()}`).slice(2) === letters
}
