import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { endpoints } from '../../src/wire/endpoints.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import { isPublicAddress } from '../http/outbound.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import type { Tx } from '../database/connect.ts'
import { changeWebhook, deleteWebhook, lockWebhooks, insertWebhook, rotateSecret, webhookOf, webhooksOf } from './webhook-queries.ts'

/** An event is delivered to each webhook that registered for it, so their number multiplies the cost of a change. */
const maxWebhooks = 16

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64url')}`

/**
 * Outside local mode an endpoint must be https and public. The IP addresses to which its name resolves are checked at every connection, so this
 * only tells a merchant at once what would never work.
 */
function requireReachable(url: string | undefined, allowLocal: boolean): void {
  if (url === undefined || allowLocal) return
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:') throw invalid('url', 'must be https', 'A webhook URL must be https.')
  const host = hostname.replace(/^\[|\]$/g, '')
  const isLocal = /^(?:.*\.)?localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
  if (isLocal) throw invalid('url', 'must be public', `A webhook is sent to public addresses only, and ${host} is not one.`)
}

const sameUrl = (first: string, other: string): boolean => new URL(first).href === new URL(other).href

/** Refuses a URL that another webhook has, and a new webhook (which has no `id` yet) beyond `maxWebhooks`. */
async function requireFreeUrl(tx: Tx, organizationId: string, url: string, id?: string): Promise<void> {
  const all = await lockWebhooks(tx, organizationId)
  if (id !== undefined && !all.some((webhook) => webhook.id === id)) throw notFound('webhook')
  const taken = all.find((webhook) => webhook.id !== id && sameUrl(webhook.url, url))
  if (taken) throw new ApiError(409, `The webhook ${taken.id} has this URL already. Change that one, or delete it first.`)
  if (id === undefined && all.length >= maxWebhooks)
    throw new ApiError(422, `An organisation has at most ${maxWebhooks} webhooks. Delete one, or add the events to an existing one.`)
}

export function webhooks(route: Route, engine: Engine, allowLocal: boolean): void {
  route(endpoints.createWebhook, async ({ body, organizationId, tx }) => {
    requireReachable(body.url, allowLocal)
    await requireFreeUrl(tx, organizationId, body.url)
    const { url, include_unsigned = false } = body
    const webhook = { id: newId('wh'), url, events: [...new Set(body.events)], active: true, include_unsigned, secret: newSecret() }
    await insertWebhook(tx, organizationId, webhook)
    return { body: { ...webhook, failing: false } }
  })

  route(endpoints.listWebhooks, async ({ organizationId }) => ({ body: { data: await webhooksOf(engine.sql, organizationId) } }))

  route(endpoints.getWebhook, async ({ params, organizationId }) => {
    const webhook = await webhookOf(engine.sql, organizationId, params.webhook_id)
    if (!webhook) throw notFound('webhook')
    return { body: webhook }
  })

  route(endpoints.changeWebhook, async ({ params, body, organizationId, tx }) => {
    requireReachable(body.url, allowLocal)
    if (body.url !== undefined) await requireFreeUrl(tx, organizationId, body.url, params.webhook_id)
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
