import { endpoints } from '../../src/wire/endpoints.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { deliveriesOf, resendDelivery } from './delivery-queries.ts'
import type { TestWebhook } from './test-webhook.ts'
import { webhookOf } from './webhook-queries.ts'

export function deliveries(route: Route, { sql }: Engine, testWebhook: TestWebhook): void {
  route(endpoints.listDeliveries, async ({ params, query, organizationId }) => {
    if (!(await webhookOf(sql, organizationId, params.webhook_id))) throw notFound('webhook')
    const { deliveries: data, total } = await deliveriesOf(sql, params.webhook_id, query)
    return { body: { data, pagination: { total_count: total, limit: query.limit, offset: query.offset } } }
  })

  route(endpoints.resendDelivery, async ({ params, organizationId, tx }) => {
    const webhook = await webhookOf(tx, organizationId, params.webhook_id)
    if (!webhook) throw notFound('webhook')
    if (!webhook.active) throw new ApiError(409, 'This webhook is switched off, so nothing is sent to it. Switch it on (`active`) first.')
    const delivery = await resendDelivery(tx, webhook.id, params.delivery_id)
    if (!delivery) throw notFound('delivery')
    return { body: delivery }
  })

  route(endpoints.testWebhook, async ({ params, organizationId, c }) => ({
    body: await testWebhook(organizationId, params.webhook_id, c.req.raw.signal),
  }))
}
