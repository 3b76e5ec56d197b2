import { randomBytes } from 'node:crypto'
import { endpoints } from '../../src/wire/endpoints.ts'
import { ApiError, notFound } from '../http/ApiError.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../jobs/engine.ts'
import { newId } from '../jobs/newOrder.ts'
import { changeWebhook, deleteWebhook, insertWebhook, rotateSecret, webhookOf, webhooksOf } from '../store/webhooks.ts'

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64url')}`

/** Outside local mode an endpoint is https; what its name leads to is checked when we connect, every time. */
const requireReachable = (url: string | undefined, allowLocal: boolean): void => {
  if (url !== undefined && !allowLocal && !url.startsWith('https:'))
    throw new ApiError(422, 'A webhook address is https.', { issues: [{ path: 'url', message: 'must be https' }] })
}

export const webhooks = (route: Route, engine: Engine, allowLocal: boolean): void => {
  route(endpoints.createWebhook, async ({ body, organizationId, tx }) => {
    requireReachable(body.url, allowLocal)
    const webhook = {
      id: newId('wh'),
      url: body.url,
      events: [...new Set(body.events)],
      active: true,
      include_unsigned: body.include_unsigned ?? false,
      secret: newSecret(),
    }
    await insertWebhook(tx, organizationId, webhook)
    return { body: webhook }
  })

  route(endpoints.listWebhooks, async ({ organizationId }) => ({ body: { data: await webhooksOf(engine.sql, organizationId) } }))

  route(endpoints.getWebhook, async ({ params, organizationId }) => {
    const webhook = await webhookOf(engine.sql, organizationId, params.webhook_id)
    if (!webhook) throw notFound('webhook')
    return { body: webhook }
  })

  route(endpoints.changeWebhook, async ({ params, body, organizationId, tx }) => {
    requireReachable(body.url, allowLocal)
    const webhook = await changeWebhook(tx, organizationId, params.webhook_id, body)
    if (!webhook) throw notFound('webhook')
    return { body: webhook }
  })

  route(endpoints.deleteWebhook, async ({ params, organizationId, tx }) => {
    if (!(await deleteWebhook(tx, organizationId, params.webhook_id))) throw notFound('webhook')
    return {}
  })

  route(endpoints.rotateWebhook, async ({ params, organizationId, tx }) => {
    const webhook = await rotateSecret(tx, organizationId, params.webhook_id, newSecret())
    if (!webhook) throw notFound('webhook')
    return { body: webhook }
  })
}
