import { isChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { PayoutOutcome, PayoutPorts, Report, Spent } from '../chains/payouts.ts'
import type { SecondNodePorts } from '../chains/second-node.ts'
import type { Outcome } from '../orders/model/commands.ts'
import type { Engine } from '../orders/engine.ts'
import { bookGasOfSend } from '../orders/gas-budget.ts'
import { pause } from '../lib/pause.ts'
import { lockOrder } from '../orders/order-queries.ts'
import { record } from '../orders/record.ts'

function outcomeOf(outcome: PayoutOutcome): Outcome {
  switch (outcome.state) {
    case 'broadcast':
      return { state: 'broadcast', txHash: outcome.txHash }
    case 'mined':
      return { state: 'mined', txHash: outcome.txHash }
    case 'unmined':
      return { state: 'unmined' }
    case 'waiting':
      return { state: 'waiting' }
    case 'approved':
      return { state: 'approved' }
    case 'confirmed': {
      const { txHash, position, paid, swapped, dust, networkFee } = outcome
      return {
        state: 'confirmed',
        txHash,
        ...(position !== undefined && { block: position }),
        paid,
        ...(swapped !== undefined && { swapped }),
        ...(dust !== undefined && { dust }),
        ...(networkFee !== undefined && { networkFee }),
      }
    }
    case 'failed':
      return { state: 'failed', reason: outcome.reason }
    default:
      return outcome satisfies never
  }
}

/** Returns what a transaction that is final has spent, whether it succeeded or not. */
const spentBy = (outcome: PayoutOutcome): Partial<Spent> =>
  outcome.state === 'confirmed' ? outcome : outcome.state === 'failed' ? (outcome.spent ?? {}) : {}

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
    await bookGasOfSend(engine, tx, order, send, spentBy(outcome))
    if (kind !== 'settlement' && kind !== 'refund') return others[kind]?.(tx, send, outcome)
    const recorded = await record(
      engine,
      order,
      { type: kind === 'settlement' ? 'settlement' : 'refund_outcome', id: ref, outcome: outcomeOf(outcome) },
      tx,
    )
    if (outcome.state === 'failed' && outcome.cause === 'guard')
      engine.log.warn(
        { chain: chain.id, order: orderId, send: send.id, kind, reason: outcome.reason },
        'the guard refuses to sign, so nothing is sent and the money stays at the deposit address; needs attention',
      )
    const isFailed = recorded?.ok && recorded.facts.some(({ type }) => type === 'settlement_failed' || type === 'refund_failed')
    if (isFailed && (await chain.payouts.markLost(tx, send.id)))
      engine.log.error(
        { chain: chain.id, order: orderId, send: send.id, kind },
        'a send that a reorganisation undid has failed: the order is no longer what was reported; needs attention',
      )
  }

/** Called with what a second node says about one of the chain's final transactions. */
export type OnSecondNode = (chain: Chain, ...answer: Parameters<NonNullable<SecondNodePorts['onSecondNode']>>) => void

/** Runs a chain's sending queue until the signal aborts. The chain's lease lets one process work on it, with rare brief overlaps. */
export async function settle(
  engine: Engine,
  chain: Chain,
  { reports, onSecondNode }: { readonly reports?: ReportsByKind; readonly onSecondNode?: OnSecondNode },
  signal: AbortSignal,
): Promise<void> {
  const ports: PayoutPorts = {
    sql: engine.sql,
    report: reportToOrder(engine, reports),
    onProblem: (error) => engine.log.warn({ err: error, chain: chain.id }, 'the sending queue failed at a step; retrying'),
    onSecondNode: (...answer) => onSecondNode?.(chain, ...answer),
  }
  while (!signal.aborted) {
    try {
      await chain.payouts.run(ports, signal)
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error, chain: chain.id }, 'the sending queue stopped; restarting it')
    }
    await pause(500, signal)
  }
}
