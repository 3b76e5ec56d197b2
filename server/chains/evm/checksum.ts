import { checksumAddress } from 'viem'

/**
 * The case of an EVM address's letters is a checksum that reveals a mistyped digit (EIP-55). An address in one case has no checksum, so it
 * passes. Addresses of other families have other checksums and pass as well.
 */
export function hasValidChecksum(address: string): boolean {
  const letters = /^0x([0-9a-f]{40})$/i.exec(address)?.[1]
  if (letters === undefined || letters === letters.toLowerCase() || letters === letters.toUpperCase()) return true
  return checksumAddress(`0x${letters.toLowerCase()}`).slice(2) === letters
}
