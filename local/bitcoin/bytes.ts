import { createHash } from 'node:crypto'

/** Bitcoin hashes most things twice with SHA-256. */
export function hash256(...parts: readonly Uint8Array[]): Buffer {
  const inner = createHash('sha256')
  for (const part of parts) inner.update(part)
  return createHash('sha256').update(inner.digest()).digest()
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

/** Returns undefined if the text is not bytes in hex. */
export function fromHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Hashes of blocks and transactions are written in hex with their bytes in reverse. */
export const toId = (hash: Uint8Array): string => toHex(hash.toReversed())
export const fromId = (id: string): Uint8Array => Buffer.from(id, 'hex').toReversed()
