import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { KycStatus } from '../../src/wire/off-ramp.ts'
import { escapeHtml } from '../../server/lib/escape-html.ts'
import { IdentityCallback } from '../../server/providers/identity.ts'
import { postCallback } from './post-callback.ts'

const Application = z.object({
  reference: z.string(),
  type: z.enum(['individual', 'business']),
  email: z.string(),
  full_name: z.optional(z.string()),
  redirect_uri: z.optional(z.string()),
})

const Customer = z.object({ application: Application, news: IdentityCallback })
type Customer = z.infer<typeof Customer>

const Known = z.array(z.tuple([z.string(), Customer]))

export interface IdentitySimulatorParts {
  readonly secret: string
  readonly payUrl: () => string
  readonly folder: string
}

/** Implements the provider's side of docs/providers.md, with the page for proving one's identity. Its buttons choose the verdict. */
export function identitySimulator({ secret, payUrl, folder }: IdentitySimulatorParts) {
  let down = false
  const file = join(folder, 'identity.json')
  const customers = new Map(existsSync(file) ? z.parse(Known, JSON.parse(readFileSync(file, 'utf8'))) : [])
  const remember = () => writeFileSync(file, JSON.stringify([...customers]))
  const provider = new Hono()
  provider.post('/customers', async (c) => {
    if (down) return c.text('The provider is down.', 503)
    if (c.req.header('authorization') !== `Bearer ${secret}`) return c.text('The bearer token is missing or wrong.', 401)
    const parsed = z.safeParse(Application, await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.text('The body is not a valid application.', 400)
    const id = `cus_${createHash('sha256').update(parsed.data.reference).digest('base64url').slice(0, 22)}`
    if (!customers.has(id)) {
      const news: IdentityCallback = {
        customer_id: id,
        kyc_status: 'not_started',
        tos_status: 'pending',
        rejection_reasons: [],
        at: new Date().toISOString(),
      }
      customers.set(id, { application: parsed.data, news })
      remember()
    }
    return c.json({ customer_id: id, kyc_link: `${payUrl()}/test/identity/${id}`, tos_link: `${payUrl()}/test/identity/${id}/terms` })
  })

  const change = async (customer: Customer, next: Partial<IdentityCallback>) => {
    const at = new Date(Math.max(Date.now(), Date.parse(customer.news.at) + 1)).toISOString()
    customer.news = { ...customer.news, ...next, at }
    remember()
    await postCallback(`${payUrl()}/callbacks/identity`, secret, customer.news)
  }

  const controls = new Hono()
  controls.post('/test/identity', async (c) => {
    const request = z.safeParse(z.object({ down: z.boolean() }), await c.req.json().catch(() => undefined))
    if (!request.success) return c.json({ error: 'Bad Request', message: 'Send {down}.', code: 400 }, 400)
    down = request.data.down
    return c.json({ ok: true })
  })
  const headers = {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  }
  const page = (title: string, body: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:480px;margin:40px auto;padding:0 16px}button,input{font:inherit;padding:8px 14px;margin:4px 4px 4px 0}</style></head><body><p>Test mode. This page stands for an identity provider.</p>${body}</body></html>`
  controls.get('/test/identity/:id', (c) => {
    const customer = customers.get(c.req.param('id'))
    if (!customer) return c.notFound()
    const { application, news } = customer
    const buttons = KycStatus.options.map(
      (status) => `<button name="kyc_status" value="${status}"${status === news.kyc_status ? ' disabled' : ''}>${status}</button>`,
    )
    const back = application.redirect_uri ? `<p><a href="${escapeHtml(application.redirect_uri)}" rel="noreferrer">Back</a></p>` : ''
    return c.html(
      page(
        'Identity check',
        `<h1>Identity check</h1><p>${escapeHtml(application.full_name ?? '')} ${escapeHtml(application.email)} (${application.type})</p><p>Now: <b id="status">${news.kyc_status}</b>. The provider decides:</p><form method="post"><p>${buttons.join('')}</p><p><label>Reason, when rejected <input name="reason" value="The document cannot be read."></label></p></form>${back}`,
      ),
      200,
      headers,
    )
  })
  controls.post('/test/identity/:id', async (c) => {
    const customer = customers.get(c.req.param('id'))
    const form = await c.req.parseBody()
    const status = z.safeParse(KycStatus, form.kyc_status)
    if (!customer || !status.success) return c.notFound()
    const reason = typeof form.reason === 'string' ? form.reason.slice(0, 500) : ''
    const rejections =
      status.data === 'rejected' ? [{ developer_reason: 'DOCUMENT_UNREADABLE', reason, created_at: new Date().toISOString() }] : []
    await change(customer, { kyc_status: status.data, rejection_reasons: rejections })
    return c.redirect(`/test/identity/${c.req.param('id')}`, 303)
  })
  controls.get('/test/identity/:id/terms', (c) => {
    const customer = customers.get(c.req.param('id'))
    if (!customer) return c.notFound()
    return c.html(
      page(
        'Terms of service',
        `<h1>Terms of service</h1><p>Now: <b id="status">${customer.news.tos_status}</b></p><form method="post"><button>Accept</button></form>`,
      ),
      200,
      headers,
    )
  })
  controls.post('/test/identity/:id/terms', async (c) => {
    const customer = customers.get(c.req.param('id'))
    if (!customer) return c.notFound()
    await change(customer, { tos_status: 'approved' })
    return c.redirect(`/test/identity/${c.req.param('id')}/terms`, 303)
  })
  return { provider, controls }
}
