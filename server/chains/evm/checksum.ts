import { checksumAddress } from 'viem'

/**
 * EIP-55: the case of an EVM address's letters is a checksum that reveals a mistyped digit. All lower case or all upper case means no
 * checksum was given. Addresses of other families carry checksums of their own and are not judged here.
 */
export function hasValidChecksum(address: string): boolean {
  const letters = /^0x([0-9a-f]{40})$/i.exec(address)?.[1]
  if (letters === undefined || letters === letters.toLowerCase() || letters === letters.toUpperCase()) return true
  return checksumAddress(`0x${letters.toLowerCase()}`).slice(2) === letters
}
