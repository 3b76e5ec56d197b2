import type { Ledger } from '../../../solana/ledger.ts'
import type { WireTransaction } from '../../../solana/wire-transaction.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Blocks } from '../network.ts'

export function slotsByHand(ledger: Ledger, finalAfter: number): Blocks {
  let removed: WireTransaction | undefined
  return {
    keepsRemoved: false,
    mine: async () => ledger.advance(1),
    async removeTransaction(hash) {
      const found = ledger.landed(hash)
      if (!found) throw new CannotPlay('The transfer is in no block.')
      // What is in the open block has not been confirmed yet.
      ledger.advance(1)
      const depth = ledger.tip('processed').height - found.block.height
      for (const wire of ledger.fork(depth)) {
        if (wire.signature === hash) removed = wire
        else await ledger.submit(wire)
      }
      // A node may lack a transaction because it is behind, so it is gone only once the other fork is final.
      ledger.advance(finalAfter)
    },
    async rebroadcast() {
      if (removed) await ledger.submit(removed)
      ledger.advance(1)
    },
  }
}
