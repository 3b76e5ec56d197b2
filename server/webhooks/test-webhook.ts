import { randomUUID } from 'node:crypto'
import type { EventEnvelope } from '../../src/wire/event.ts'
import type { TestDelivery } from '../../src/wire/delivery.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import { organizationById } from '../organizations/organizations.ts'
import { exampleOrder } from './example-order.ts'
import { sendDelivery } from './send-delivery.ts'
import { targetOf } from './webhook-queries.ts'

/** A receiver may keep a test waiting as long as a delivery, so an organisation has few of them at a time in each process. */
const mostAtOnce = 2

export type TestWebhook = (organizationId: string, webhookId: string, signal: AbortSignal) => Promise<TestDelivery>

/**
 * Sends the example of an event and waits for the answer, so that a merchant who is at work on an endpoint reads at once what is wrong with
 * it. Tests neither queue with deliveries nor change what is known of an endpoint, and an endpoint that is switched off can be tested too.
 */
export function webhookTester(engine: Engine, options: { readonly allowLocal: boolean; readonly timeoutMs?: number }): TestWebhook {
  const { sql, payUrl, clock } = engine
  const { allowLocal, timeoutMs = 30_000 } = options
  const running = new Map<string, number>()
  return async (organizationId, webhookId, signal) => {
    const target = await targetOf(sql, organizationId, webhookId)
    if (!target) throw notFound('webhook')
    const count = running.get(organizationId) ?? 0
    if (count >= mostAtOnce)
      throw new ApiError(429, `At most ${mostAtOnce} tests of webhooks run at a time, and these still wait for an answer.`, undefined, {
        'retry-after': String(Math.ceil(timeoutMs / 1_000)),
      })
    running.set(organizationId, count + 1)
    try {
      const now = clock()
      const order = exampleOrder(await organizationById(sql, organizationId), newId('ord'), payUrl, now)
      const event: EventEnvelope = { event: 'ORDER_COMPLETED', delivered_at: new Date(now).toISOString(), order }
      const message = { id: randomUUID(), body: JSON.stringify(event), ...target }
      const { result, ...outcome } = await sendDelivery(message, { allowLocal, timeoutMs, signal })
      const attempt = { at: event.delivered_at, ...outcome }
      return { id: message.id, delivered: result === 'accepted', attempt, body: message.body }
    } finally {
      const left = (running.get(organizationId) ?? 1) - 1
      if (left > 0) running.set(organizationId, left)
      else running.delete(organizationId)
    }
  }
}
