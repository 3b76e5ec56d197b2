import { base58Of } from './base58.ts'
import { readHex } from './hex.ts'
import { withoutChecksum } from './without-checksum.ts'

/** A transaction is known by its digest, which is 32 bytes in base58. */
export const sui = withoutChecksum({
  read: (text) => readHex(text, 64),
  nobody: `0x${'0'.repeat(64)}`,
  parseHash: (text) => base58Of(32, text),
})
