import type { Chain } from '../chains/chain.ts'
import { type FinalSend, finalSendsGone, markReopened } from './evm/queue.ts'
import type { Report } from '../chains/sender.ts'
import { transaction } from '../database/transaction.ts'
import type { Engine } from '../orders/engine.ts'

/**
 * Confirmed sends that a deep reorganisation removed are put back in flight, and their orders updated in the same transaction, so that coin
 * that is back at a deposit address is not new money. `ancestor` is the last block that both forks share, while the blocks above it are
 * still stored. Returns false when a send could not be reopened, and the next call retries it.
 */
export async function reopenSends(engine: Engine, chain: Chain, report: Report, signal: AbortSignal, ancestor?: number): Promise<boolean> {
  let isDone = true
  for (const send of await finalSendsGone(engine.sql, chain.id, ancestor)) {
    try {
      // The queue may have seen the new fork first and recorded the send's new block, which is still canonical.
      if ((await chain.block(send.block, signal))?.hash !== send.blockHash) await reopen(engine, send, report)
    } catch (error) {
      signal.throwIfAborted()
      isDone = false
      engine.log.error({ err: error, chain: chain.id, send: send.id }, 'cannot reopen a send that a reorganisation undid; retrying')
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
      'a reorganisation deeper than the confirmations removed a final transaction of ours; broadcasting it again',
    )
    await report(tx, { id, chainId, purpose }, { state: 'unmined', txHash })
  })
}
