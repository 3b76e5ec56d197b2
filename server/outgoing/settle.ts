import { isChainId } from '../../src/wire/chain.ts'
import type { Report, SendOutcome } from '../chains/sender.ts'
import type { Chain } from '../chains/chain.ts'
import { markLost } from './evm/queue.ts'
import type { Outcome } from '../orders/model/commands.ts'
import type { Engine } from '../orders/engine.ts'
import { bookGasOfSend } from '../orders/gas-budget.ts'
import { pause } from '../lib/pause.ts'
import { lockOrder } from '../orders/order-queries.ts'
import { record } from '../orders/record.ts'

function outcomeOf(chain: Chain, outcome: SendOutcome): Outcome {
  switch (outcome.state) {
    case 'broadcast':
      return { state: 'broadcast', txHash: outcome.txHash }
    case 'mined':
      return { state: 'mined', txHash: outcome.receipt.txHash }
    case 'unmined':
      return { state: 'unmined' }
    case 'confirmed': {
      const { receipt } = outcome
      return receipt.ok
        ? { state: 'confirmed', txHash: receipt.txHash, block: receipt.block, ...chain.settlementResult(receipt) }
        : { state: 'failed', reason: 'The transaction was reverted by the chain.' }
    }
    case 'refused':
      return { state: 'failed', reason: outcome.reason }
    default:
      return outcome satisfies never
  }
}

/** Sends of other kinds than settlements and refunds are reported to these, by kind. */
export type ReportsByKind = Readonly<Record<string, Report>>

/** Records the outcome of a send on its order, in the transaction that marks it reported. */
export const reportToOrder =
  (engine: Engine, others: ReportsByKind = {}): Report =>
  async (tx, send, outcome) => {
    const { kind, orderId, ref } = send.purpose
    const chain = engine.chains.get(send.chainId)
    const order = await lockOrder(tx, orderId)
    if (!chain || !order || !isChainId(send.chainId)) throw new Error(`send ${send.id} belongs to no order`)
    if (outcome.state === 'confirmed') await bookGasOfSend(engine, tx, order, send, outcome.receipt.gasUsed)
    if (kind !== 'settlement' && kind !== 'refund') return others[kind]?.(tx, send, outcome)
    const recorded = await record(
      engine,
      order,
      { type: kind === 'settlement' ? 'settlement' : 'refund_outcome', id: ref, outcome: outcomeOf(chain, outcome) },
      tx,
    )
    const isFailed = recorded?.ok && recorded.facts.some(({ type }) => type === 'settlement_failed' || type === 'refund_failed')
    if (isFailed && (await markLost(tx, send.id)))
      engine.log.error(
        { chain: chain.id, order: orderId, send: send.id, kind },
        'a send that a reorganisation undid has failed: the order is no longer what was reported; needs attention',
      )
  }

/** Runs a chain's sending queue until the signal aborts. The sender's lease lets one process work on it, with rare brief overlaps. */
export async function settle(engine: Engine, chain: Chain, signal: AbortSignal, others: ReportsByKind = {}): Promise<void> {
  while (!signal.aborted) {
    try {
      await engine.sender.run(chain.id, reportToOrder(engine, others), signal)
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error, chain: chain.id }, 'the sending queue stopped; restarting it')
    }
    await pause(500, signal)
  }
}
