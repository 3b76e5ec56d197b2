import { createHmac } from 'node:crypto'

/** SLIP-0010 has no other kind of child for this curve, so no address follows from a public key. */
const hardened = 0x80000000
/** Wallets derive the keys of their accounts by this path (BIP-44; 501 is Solana's coin type), so they find what lies at the addresses of a seed. */
const pathOf = (index: number): readonly number[] => [44, 501, index, 0]

/** A wallet that imports the seed needs this path. */
export const accountPath = (index: number): string => ['m', ...pathOf(index).map((child) => `${child}'`)].join('/')

/** Returns the private key with this number, which is 32 bytes. */
export function deriveKey(seed: Uint8Array, index: number): Uint8Array {
  const master = hmac(Buffer.from('ed25519 seed'), seed)
  return pathOf(index)
    .reduce((node, child) => childOf(node, child), master)
    .subarray(0, 32)
}

/** The first half of a node is its key, and the second its chain code. */
function childOf(node: Buffer, child: number): Buffer {
  const data = Buffer.alloc(37)
  node.copy(data, 1, 0, 32)
  data.writeUInt32BE(hardened + child, 33)
  return hmac(node.subarray(32), data)
}

const hmac = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha512', key).update(data).digest()
