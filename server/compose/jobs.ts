import { forgetOldEvents } from '../database/retention.ts'
import { follow } from '../events/follow.ts'
import type { LogEvent } from '../events/log.ts'
import { forgetOldAnswers } from '../http/idempotency.ts'
import { sweepOrder } from '../incoming/sweep.ts'
import { watch } from '../incoming/watch.ts'
import { sendMails } from '../invoices/send-mails.ts'
import { pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import { expire } from '../orders/expire.ts'
import { forgetOldGas } from '../orders/gas-used.ts'
import { orderById } from '../orders/order-queries.ts'
import { settle } from '../outgoing/settle.ts'
import type { Core } from './core.ts'
import type { ServiceParts } from './service-parts.ts'

/** Starts the background jobs, which run until the signal aborts. Each promise resolves when its job has ended. */
export function startJobs(
  { sql, log, chains, invoicing }: ServiceParts,
  { engine, events, deliveries, costs, keys, x402 }: Core,
  onEvents: (events: readonly LogEvent[]) => void,
  signal: AbortSignal,
): readonly Promise<void>[] {
  const beforeExpiry = async (orderId: string) => {
    const order = await orderById(sql, orderId)
    const isExpiring = order?.status === 'PENDING' || order?.status === 'AWAITING_PAYMENT'
    if (isExpiring) await sweepOrder(engine, order, 'asked', AbortSignal.any([signal, AbortSignal.timeout(10_000)]))
  }
  return [
    follow({ sql, events, log }, onEvents, signal),
    deliveries.run(signal),
    expire(engine, beforeExpiry, signal),
    costs.run(signal),
    housekeeping(engine, keys.flush, signal),
    ...mails(engine, invoicing, signal),
    ...chains.map((chain) => watch(engine, chain, chain.config, signal, x402.reports)),
    ...chains.map((chain) => settle(engine, chain, signal, x402.reports)),
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
      await forgetOldEvents(engine.sql)
      await forgetOldGas(engine.sql)
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error }, 'cannot delete old rows or note when keys were used; retrying')
    }
  }
}
