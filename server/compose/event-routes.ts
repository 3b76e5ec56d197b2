import { events } from '../events/event-routes.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { deliveries } from '../webhooks/delivery-routes.ts'
import { webhookTester } from '../webhooks/test-webhook.ts'
import { webhooks } from '../webhooks/webhook-routes.ts'

/** What a merchant learns of changes: from the log of events, and from the webhooks that they are sent to. */
export function eventRoutes(route: Route, engine: Engine, allowLocal: boolean): void {
  events(route, engine.sql)
  webhooks(route, engine, allowLocal)
  deliveries(route, engine, webhookTester(engine, { allowLocal }))
}
