import type { SecondNodeAnswer } from '../chains/second-node.ts'
import { forgetOldEvents } from '../database/retention.ts'
import { follow } from '../events/follow.ts'
import type { LogEvent } from '../events/log.ts'
import { forgetOldAnswers } from '../http/idempotency.ts'
import { sweepOrder } from '../incoming/sweep.ts'
import { watchMoves } from '../incoming/moves.ts'
import { watch } from '../incoming/watch.ts'
import { sendMails } from '../invoices/send-mails.ts'
import { watchPegs } from '../invoices/watch-pegs.ts'
import { circuitBreaker } from '../lib/circuit-breaker.ts'
import { pause } from '../lib/pause.ts'
import { withDeadline } from '../lib/with-deadline.ts'
import type { Engine } from '../orders/engine.ts'
import { expire } from '../orders/expire.ts'
import { forgetOldGas } from '../orders/gas-used.ts'
import { orderById } from '../orders/order-queries.ts'
import { reportRescue, rescueKind } from '../chains/evm/payouts/rescues.ts'
import { type OnSecondNode, settle } from '../outgoing/settle.ts'
import { keepAddressesReady } from './addresses-ready.ts'
import type { Core } from './core.ts'
import { watchWebhooks } from './failing-webhooks.ts'
import type { ServiceParts } from './service-parts.ts'

const secondNodeWarnings: Readonly<Record<Exclude<SecondNodeAnswer, 'agrees'>, string>> = {
  differs: 'two nodes disagree about a final transaction; its order waits until they agree',
  behind: 'a second node does not know a final transaction yet; its order waits for that node',
  unreachable: 'no second node confirms a final transaction; its order waits for one',
  skipped: 'no second node has answered for ten minutes; a final transaction counts on the word of one node',
}

/** A chain that takes this long to fail is tried for one order at a time, so that its orders hardly delay those of other chains. */
const hangsMs = 1_500

interface JobPorts {
  readonly onEvents: (events: readonly LogEvent[]) => void
  readonly onSecondNode: (chainId: number, answer: SecondNodeAnswer) => void
}

/** Starts the background jobs, which run until the signal aborts. Each promise resolves when its job has ended. */
export function startJobs(
  { sql, log, chains, invoicing }: ServiceParts,
  { engine, events, deliveries, costs, keys, x402 }: Core,
  { onEvents, onSecondNode }: JobPorts,
  signal: AbortSignal,
): readonly Promise<void>[] {
  const breaker = circuitBreaker(hangsMs)
  const beforeExpiry = async (orderId: string) => {
    const order = await orderById(sql, orderId)
    const isExpiring = order?.status === 'PENDING' || order?.status === 'AWAITING_PAYMENT'
    if (isExpiring) await withDeadline(6_000, signal, (deadline) => sweepOrder(engine, order, 'asked', deadline, breaker))
  }
  const warnOfSecondNode: OnSecondNode = ({ id }, { txHash, position }, answer) => {
    onSecondNode(id, answer)
    if (answer !== 'agrees') log.warn({ chain: id, tx: txHash, block: position }, secondNodeWarnings[answer])
  }
  const reports = { ...x402.reports, [rescueKind]: reportRescue }
  return [
    follow({ sql, events, log }, onEvents, signal),
    deliveries.run(signal),
    expire(engine, beforeExpiry, signal),
    costs.run(signal),
    housekeeping(engine, keys.flush, signal),
    ...mails(engine, invoicing, signal),
    watchPegs(engine, signal),
    watchWebhooks(engine, signal),
    ...chains.map((chain) => watch(engine, chain, signal, reports)),
    ...chains.map((chain) => keepAddressesReady(engine, chain, signal)),
    ...chains.map((chain) => watchMoves(engine, chain, warnOfSecondNode, signal)),
    ...chains.map((chain) => settle(engine, chain, { reports, onSecondNode: warnOfSecondNode }, signal)),
    x402.run(signal),
  ]
}

function mails(engine: Engine, invoicing: ServiceParts['invoicing'], signal: AbortSignal): readonly Promise<void>[] {
  if (!invoicing?.mail) return []
  const sender = invoicing.sender ?? `invoices@${new URL(engine.payUrl).hostname}`
  return [sendMails({ engine, mail: invoicing.mail, sender, wordsOf: invoicing.words }, signal)]
}

async function housekeeping(engine: Engine, flushKeys: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let rounds = 0
  while (!signal.aborted) {
    await pause(10_000, signal)
    try {
      await flushKeys()
      if (rounds++ % 60 !== 0) continue
      await forgetOldAnswers(engine.sql)
      await forgetOldEvents(engine.sql, signal)
      await forgetOldGas(engine.sql)
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error }, 'cannot delete old rows or note when keys were used; retrying')
    }
  }
}
