import { base58Of } from './base58.ts'
import { withoutChecksum } from './without-checksum.ts'

/** Case is a part of base58. Without a checksum many mistyped addresses are addresses too. */
export const solana = withoutChecksum({
  read: (text) => base58Of(32, text),
  // This is the address of the system program, which is all zeros.
  nobody: '1'.repeat(32),
  parseHash: (text) => base58Of(64, text),
})
