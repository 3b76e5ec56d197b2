import { record } from './record.ts'
import { priceForTick } from './repricing.ts'
import type { Engine } from './engine.ts'
import { pause } from './pause.ts'

const everyMs = 250

/**
 * Orders whose time has come: expiry, reminders, retries. Any process may do it; the row lock makes it happen once. What is due says the
 * database's clock, the only one that all of them share: one machine an hour ahead would put off for an hour what others should do.
 */
export const expire = async (engine: Engine, beforeExpiry: (orderId: string) => Promise<void>, signal: AbortSignal): Promise<void> => {
  /** Nothing expires while its chain cannot be asked: the money may be there. */
  const isSwept = async (orderId: string): Promise<boolean> => {
    try {
      await beforeExpiry(orderId)
      return true
    } catch (error) {
      engine.log.warn({ err: error, order: orderId }, 'an order waits: its chain cannot be asked')
      await engine.sql`update orders set next_tick = now() + interval '10 seconds' where id = ${orderId} and next_tick <= now()`
      return false
    }
  }
  while (!signal.aborted) {
    try {
      const due = await engine.sql`select id from orders where next_tick <= now() order by next_tick limit 100`
      for (const { id } of due) {
        if (signal.aborted) return
        if (!(await isSwept(id))) continue
        const result = await record(engine, id, { type: 'tick', quote: await priceForTick(engine, id) })
        // Money in flight holds an expiry back: look again shortly, not in a tight loop.
        if (result?.ok && result.facts.length === 0)
          await engine.sql`update orders set next_tick = now() + interval '5 seconds' where id = ${id} and next_tick <= now()`
      }
      if (due.length === 100) continue
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error }, 'due orders cannot be ticked; trying again')
    }
    await pause(everyMs, signal)
  }
}
