import type { Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { Id } from '../../src/wire/scalars.ts'
import { errorBody } from '../../server/http/api-error.ts'
import { script, scriptPath } from './page.ts'
import type { Play } from './play.ts'
import type { Player } from './player.ts'
import { orderFor, type Scenario } from './scenario.ts'
import { findScenario } from './find-scenario.ts'
import { scenarios } from './table.ts'

const path = '/test/scenarios'

const PlayRequest = z.object({
  order_id: z.optional(Id),
  // A form sends it as text.
  chain_id: z.optional(z.coerce.number().check(z.int())),
  look_ms: z.optional(z.int().check(z.minimum(0), z.maximum(60_000))),
})

/** A second POST for an order does not play it again. Other sites' pages are refused, so that only our own pages and programs call it. */
export function scenarioRoutes(app: Hono, player: Player): void {
  const refuse = (c: Context, status: 400 | 403 | 404 | 409, message: string) => c.json(errorBody(status, message), status)

  app.get(path, (c) => c.json({ scenarios: scenarios.map((scenario) => ({ ...listed(scenario), order: orderFor(scenario) })) }))
  app.get(
    scriptPath,
    () => new Response(script, { headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' } }),
  )

  app.post(`${path}/:name`, async (c) => {
    const from = c.req.header('sec-fetch-site') ?? 'none'
    if (from !== 'same-origin' && from !== 'none') return refuse(c, 403, 'Scenarios are played by our own pages only.')
    const found = findScenario(c.req.param('name'))
    if ('problem' in found) return refuse(c, found.isUnknown ? 404 : 400, found.problem)
    const { scenario } = found
    const { name } = scenario
    const isForm = c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false
    const request = z.safeParse(PlayRequest, await (isForm ? c.req.parseBody() : c.req.json()).catch(() => undefined))
    if (!request.success) return refuse(c, 400, 'Send {order_id?, chain_id?, look_ms?}.')
    const { order_id: orderId, chain_id: chainId, look_ms: lookMs } = request.data
    if (orderId !== undefined && !(await player.find(orderId))) return refuse(c, 404, 'There is no such order.')
    const play = player.play({ scenario, orderId, chainId, lookMs })
    if (play.name !== name) return refuse(c, 409, `On this order "${play.name}" was played. Make another order for "${name}".`)
    if (isForm && orderId !== undefined) return c.redirect(`/pay/${orderId}?simulate=${encodeURIComponent(name)}`, 303)
    return new Response(lines(play), { headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' } })
  })
}

const listed = ({ name, title, sentence, families, parameter }: Scenario) => ({
  name,
  title,
  sentence,
  families,
  ...(parameter && { parameter: { example: parameter.example, expected: parameter.expected } }),
})

/** Streams a play's events. The play continues when nobody reads them. */
function lines(play: Play): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const events = play.follow(gone.signal)
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    },
    cancel: () => gone.abort(),
  })
}
