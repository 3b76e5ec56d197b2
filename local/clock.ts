import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { Id } from '../src/wire/scalars.ts'
import { errorBody } from '../server/http/api-error.ts'
import type { Engine } from '../server/orders/engine.ts'
import { record } from '../server/orders/record.ts'

const Advance = z.object({ order_id: Id, advance_ms: z.int().check(z.minimum(1), z.maximum(7 * 86_400_000)) })

/**
 * Tests move the clock of one order: its deadline and the hold of its price come nearer by that time. The clock of the service stays, because
 * signatures of requests, blocks and the guard are checked by it, and everybody's orders depend on it.
 */
export function clockRoutes(app: Hono, engine: Engine): void {
  app.post('/test/clock', async (c) => {
    const advance = z.safeParse(Advance, await c.req.json().catch(() => undefined))
    if (!advance.success) return c.json(errorBody(400, 'Send {order_id, advance_ms}, with 1 ms to 7 days.'), 400)
    const { order_id: id, advance_ms: ms } = advance.data
    const recorded = await record(engine, id, (order) => ({ type: 'shorten', expiresAt: order.expiresAt - ms }))
    if (!recorded) return c.json(errorBody(404, 'There is no such order.'), 404)
    if (!recorded.ok) return c.json(errorBody(409, recorded.refusal.message), 409)
    return c.json({ ok: true, expires_at: new Date(recorded.order.expiresAt).toISOString() })
  })
}
