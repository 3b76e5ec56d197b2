import type { Chain } from '../chains/chain.ts'
import { type FinalSend, finalSendsGone, markReopened } from './evm/queue.ts'
import type { Report } from '../chains/sender.ts'
import { transaction } from '../database/transaction.ts'
import type { Engine } from '../orders/engine.ts'

/**
 * A reorganisation may go deeper than the confirmations. What had been sent and was final on blocks that are gone is final no more: the
 * sending queue has it again, and its order learns of it in the same transaction, so that nobody takes the coin that is back at a deposit
 * address for new money. `ancestor`: the last block that both chains share, before the others are forgotten. False: some could not be
 * reopened, and will be at the next look.
 */
export async function reopenSends(engine: Engine, chain: Chain, report: Report, signal: AbortSignal, ancestor?: number): Promise<boolean> {
  let isDone = true
  for (const send of await finalSendsGone(engine.sql, chain.id, ancestor)) {
    try {
      // The queue may have learned of the new chain first, and then its word is the newer one.
      if ((await chain.block(send.block, signal))?.hash !== send.blockHash) await reopen(engine, send, report)
    } catch (error) {
      signal.throwIfAborted()
      isDone = false
      engine.log.error({ err: error, chain: chain.id, send: send.id }, 'what a reorganisation took cannot be sent again yet; retrying')
    }
  }
  return isDone
}

async function reopen(engine: Engine, send: FinalSend, report: Report): Promise<void> {
  const { id, chainId, purpose, txHash } = send
  await transaction(engine.sql, async (tx) => {
    if (!(await markReopened(tx, send))) return
    engine.log.warn(
      { chain: chainId, order: purpose.orderId, send: id, tx: txHash },
      'a reorganisation deeper than the confirmations took a transaction of ours; sending it again',
    )
    await report(tx, { id, chainId, purpose }, { state: 'unmined', txHash })
  })
}
