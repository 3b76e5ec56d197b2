import { CircuitOpen } from '../lib/circuit-breaker.ts'
import { forEachConcurrently } from '../lib/for-each-concurrently.ts'
import { record } from './record.ts'
import { priceForTick } from './pricing.ts'
import type { Engine } from './engine.ts'
import { pause } from '../lib/pause.ts'

const intervalMs = 250

/** Any process may do it, since a second tick finds nothing to do. The database's clock decides, so no fast clock ticks an order early. */
export async function expire(engine: Engine, beforeExpiry: (orderId: string) => Promise<void>, signal: AbortSignal): Promise<void> {
  /** An order must not expire while its chain cannot be read, since its money may have arrived. */
  const isChainChecked = async (orderId: string): Promise<boolean> => {
    try {
      await beforeExpiry(orderId)
      return true
    } catch (error) {
      const seconds = error instanceof CircuitOpen ? 30 : 10
      engine.log.warn({ err: error, order: orderId }, `cannot check the chain before an order expires; retrying in ${seconds} s`)
      await postpone(orderId, seconds)
      return false
    }
  }
  /** An order that fails to tick is postponed, so that it does not block the orders after it. */
  const tickOne = async (orderId: string): Promise<void> => {
    if (signal.aborted) return
    try {
      if (!(await isChainChecked(orderId))) return
      const result = await record(engine, orderId, { type: 'tick', quote: await priceForTick(engine, orderId) })
      // Money in flight delays expiry, so the order is ticked again in 5 s. An expired one waits for a price, so 60 s are enough.
      if (result?.ok && result.facts.length === 0) await postpone(orderId, result.order.status === 'EXPIRED' ? 60 : 5)
    } catch (error) {
      if (signal.aborted) return
      engine.log.warn({ err: error, order: orderId }, 'cannot tick an order; retrying in 60 s')
      await postpone(orderId, 60)
    }
  }
  const postpone = (orderId: string, seconds: number) =>
    engine.sql`update orders set next_tick = now() + ${seconds} * interval '1 second' where id = ${orderId} and next_tick <= now()`
  while (!signal.aborted) {
    try {
      const due = await engine.sql`select id from orders where next_tick <= now() order by next_tick limit 100`
      await forEachConcurrently(8, due, ({ id }) => tickOne(id))
      if (due.length === 100) continue
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error }, 'cannot read due orders; retrying')
    }
    await pause(intervalMs, signal)
  }
}
