import { isChainId } from '../../src/wire/chain.ts'
import type { Report, SendOutcome } from '../chains/sender.ts'
import type { Chain } from '../chains/chain.ts'
import { markLost } from './evm/queue.ts'
import type { Outcome } from '../orders/model/commands.ts'
import type { Engine } from '../orders/engine.ts'
import { bookSend } from '../orders/gas-budget.ts'
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
        : { state: 'failed', reason: 'The transaction was undone by the chain.' }
    }
    case 'refused':
      return { state: 'failed', reason: outcome.reason }
    default:
      return outcome satisfies never
  }
}

/** Who hears of sends that are not a settlement's or a refund's, by their kind. */
export type Reports = Readonly<Record<string, Report>>

/** What became of a call that an order asked for, told to the order in the transaction that marks it told. */
export const settleReport =
  (engine: Engine, others: Reports = {}): Report =>
  async (tx, send, outcome) => {
    const { kind, orderId, ref } = send.purpose
    const chain = engine.chains.get(send.chainId)
    const order = await lockOrder(tx, orderId)
    if (!chain || !order || !isChainId(send.chainId)) throw new Error(`send ${send.id} belongs to no order`)
    if (outcome.state === 'confirmed') await bookSend(engine, tx, order, send, outcome.receipt.gasUsed)
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
        'what a reorganisation took did not get through again: the order is not what it was said to be',
      )
  }

/** One per chain and process; the sender's lease lets exactly one of them drive. */
export async function settle(engine: Engine, chain: Chain, signal: AbortSignal, others: Reports = {}): Promise<void> {
  while (!signal.aborted) {
    try {
      await engine.sender.run(chain.id, settleReport(engine, others), signal)
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error, chain: chain.id }, 'the sending queue stopped; starting it again')
    }
    await pause(500, signal)
  }
}
