import { inParallel } from '../lib/in-parallel.ts'
import { record } from './record.ts'
import { priceForTick } from './pricing.ts'
import type { Engine } from './engine.ts'
import { pause } from '../lib/pause.ts'

const everyMs = 250

/**
 * Orders whose time has come: expiry, reminders, retries. Any process may do it; the row lock makes it happen once. What is due says the
 * database's clock, the only one that all of them share: one machine an hour ahead would put off for an hour what others should do.
 */
export async function expire(engine: Engine, beforeExpiry: (orderId: string) => Promise<void>, signal: AbortSignal): Promise<void> {
  /** Nothing expires while its chain cannot be asked: the money may be there. */
  const isSwept = async (orderId: string): Promise<boolean> => {
    try {
      await beforeExpiry(orderId)
      return true
    } catch (error) {
      engine.log.warn({ err: error, order: orderId }, 'an order cannot expire before its chain was asked; retrying in 10 s')
      await putOff(orderId, 10)
      return false
    }
  }
  /** An order that cannot be ticked is tried again later: those behind it have their turn. */
  const tickOne = async (orderId: string): Promise<void> => {
    if (signal.aborted) return
    try {
      if (!(await isSwept(orderId))) return
      const result = await record(engine, orderId, { type: 'tick', quote: await priceForTick(engine, orderId) })
      // Money in flight holds an expiry back: look again shortly, not in a tight loop; for a price that nobody knows, less often.
      if (result?.ok && result.facts.length === 0) await putOff(orderId, result.order.status === 'EXPIRED' ? 60 : 5)
    } catch (error) {
      if (signal.aborted) return
      engine.log.warn({ err: error, order: orderId }, 'an order cannot be ticked; retrying in a minute')
      await putOff(orderId, 60)
    }
  }
  const putOff = (orderId: string, seconds: number) =>
    engine.sql`update orders set next_tick = now() + ${seconds} * interval '1 second' where id = ${orderId} and next_tick <= now()`
  while (!signal.aborted) {
    try {
      const due = await engine.sql`select id from orders where next_tick <= now() order by next_tick limit 100`
      await inParallel(8, due, ({ id }) => tickOne(id))
      if (due.length === 100) continue
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error }, 'due orders cannot be ticked; trying again')
    }
    await pause(everyMs, signal)
  }
}
