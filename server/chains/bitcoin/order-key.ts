import { createHash } from 'node:crypto'
import type { HDKey } from '@scure/bip32'

/** These child numbers are not hardened, so addresses derive from the account's public key. */
export function orderPath(orderId: string): readonly [number, number, number] {
  const hash = createHash('sha256').update(`till:bitcoin:${orderId}`).digest()
  const childAt = (offset: number) => hash.readUInt32BE(offset) & 0x7fffffff
  return [childAt(0), childAt(4), childAt(8)]
}

/** Returns the key of an order's address, with its private part if the account has one. */
export const orderKey = (account: HDKey, orderId: string): HDKey =>
  orderPath(orderId).reduce((key, index) => key.deriveChild(index), account)
