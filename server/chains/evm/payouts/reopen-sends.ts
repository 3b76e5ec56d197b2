import { transaction } from '../../../database/transaction.ts'
import { ChainUnavailable } from '../../chain.ts'
import type { Position } from '../../feed.ts'
import type { ReopenPorts } from '../../payouts.ts'
import type { EvmNode } from '../evm-node.ts'
import { headerCall } from '../rpc-calls.ts'
import { undoFinalBatch } from './batch-reports.ts'
import { type FinalSend, finalSendsGone } from './queue.ts'
import { markReopened } from './send-states.ts'
import { isBatch } from './send.ts'

/** The sends keep their nonces and their bytes, so the transactions that were mined before are the ones that are broadcast again. */
export async function reopenSends({ id, rpc }: EvmNode, ports: ReopenPorts, signal: AbortSignal, last?: Position): Promise<boolean> {
  let isDone = true
  for (const send of await finalSendsGone(ports.sql, id, last?.height)) {
    try {
      // The queue may have seen the new fork first and recorded the send's new block, which is still canonical.
      const [header] = await rpc.read(signal, headerCall(send.block))
      if (header?.hash !== send.blockHash) await reopen(ports, send)
    } catch (error) {
      signal.throwIfAborted()
      isDone = false
      // A node that does not answer is an ordinary event, and nothing is lost meanwhile.
      const level = error instanceof ChainUnavailable ? 'warn' : 'error'
      ports.log[level]({ err: error, chain: id, send: send.id }, 'cannot reopen a send that a reorganisation undid; retrying')
    }
  }
  return isDone
}

async function reopen({ sql, log, report }: ReopenPorts, send: FinalSend): Promise<void> {
  const { id, chainId, purpose, txHash } = send
  await transaction(sql, async (tx) => {
    if (!(await markReopened(tx, send))) return
    log.warn(
      { chain: chainId, order: purpose.orderId, send: id, tx: txHash },
      'a reorganisation deeper than the confirmations removed a final transaction of ours; broadcasting it again',
    )
    const undone = isBatch(send) ? await undoFinalBatch(tx, send, send) : [send]
    for (const { id: payout, purpose: cause } of undone)
      await report(tx, { id: payout, chainId, purpose: cause }, { state: 'unmined', txHash })
  })
}
