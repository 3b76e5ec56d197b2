import { createHash } from 'node:crypto'

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** Bitcoin hashes most things twice with SHA-256. */
export const hash256 = (bytes: Uint8Array): Buffer => sha256(sha256(bytes))

/** Hashes of blocks and transactions are written in hex with their bytes in reverse. */
export const toId = (hash: Uint8Array): string => Buffer.from(hash.toReversed()).toString('hex')
export const fromId = (id: string): Uint8Array => Buffer.from(id, 'hex').toReversed()
