import type { HDKey } from '@scure/bip32'
import { orderPath } from './order-key.ts'

/** The characters of a descriptor, in groups of 32, and those of its checksum (BIP 380). */
const characters = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ '
const checksumCharacters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn] as const

function next(sum: bigint, value: number): bigint {
  const top = sum >> 35n
  const shifted = ((sum & 0x7ffffffffn) << 5n) ^ BigInt(value)
  return generator.reduce((rest, part, bit) => ((top >> BigInt(bit)) & 1n ? rest ^ part : rest), shifted)
}

/** Wallets refuse a descriptor without this checksum. Returns undefined if it contains a character that none has. */
export function descriptorChecksum(descriptor: string): string | undefined {
  let sum = 1n
  let group = 0
  let count = 0
  for (const character of descriptor) {
    const at = characters.indexOf(character)
    if (at === -1) return undefined
    sum = next(sum, at & 31)
    group = group * 3 + (at >> 5)
    if (++count < 3) continue
    sum = next(sum, group)
    ;[group, count] = [0, 0]
  }
  if (count > 0) sum = next(sum, group)
  for (let i = 0; i < 8; i++) sum = next(sum, 0)
  sum ^= 1n
  return Array.from({ length: 8 }, (_, i) => checksumCharacters[Number((sum >> BigInt(5 * (7 - i))) & 31n)]).join('')
}

/**
 * Describes the address of an order for an ordinary wallet, which then watches it. With the account's private key in place of the public one the
 * wallet can spend from it.
 */
export function orderDescriptor(account: HDKey, orderId: string): string {
  const descriptor = `wpkh(${account.publicExtendedKey}/${orderPath(orderId).join('/')})`
  return `${descriptor}#${descriptorChecksum(descriptor)}`
}
