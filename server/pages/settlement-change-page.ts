import type { Hono } from 'hono'
import { markup, type Html } from '../lib/markup.ts'
import { sendHtml } from './headers.ts'
import type { PagesParts, SettlementChangePort } from './pages-parts.ts'

const tokenShape = /^[A-Za-z0-9_-]{20,64}$/

/** Serves the link in the mail about changed settlements. A GET changes nothing, since mail scanners open every link. */
export function settlementChangePage(app: Hono, { nonce, payUrl, publicBaseUrl }: PagesParts, port: SettlementChangePort): void {
  const send = (c: Parameters<typeof sendHtml>[0], title: string, body: Html, status = 200) => {
    const policy = { nonce: nonce(), payUrl, baseUrl: publicBaseUrl, ancestors: [] }
    const html =
      markup`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark"><title>${title}</title><style nonce="${policy.nonce}">${{ html: port.sheet }}</style></head>
      <body><main class="pay"><h1>${title}</h1>${body}</main></body></html>`.html
    return sendHtml(c, html, policy, status, { 'cache-control': 'no-store' })
  }
  const gone = markup`<p>This change is in force, was cancelled, or never existed.</p>`

  app.get('/settlements/:token', async (c) => {
    const token = c.req.param('token')
    const change = tokenShape.test(token) ? await port.find(token) : undefined
    if (!change) return send(c, 'Nothing to cancel', gone, 404)
    return send(
      c,
      'Where you are paid is about to change',
      markup`<p>From ${change.inForceAt.toISOString().slice(0, 16).replace('T', ' ')} UTC new orders are settled like this:</p>
        <ul>${change.lines.map((line) => markup`<li>${line}</li>`)}</ul>
        <form method="post"><button class="btn">Cancel this change</button></form>`,
    )
  })

  app.post('/settlements/:token', async (c) => {
    if (c.req.header('sec-fetch-site') === 'cross-site') return c.text('This form belongs to another site.', 403)
    const token = c.req.param('token')
    const isCancelled = tokenShape.test(token) && (await port.cancel(token))
    if (!isCancelled) return send(c, 'Nothing to cancel', gone, 404)
    return send(
      c,
      'The change is cancelled',
      markup`<p>Your sales are settled as before. Have the key switched off that asked for the change.</p>`,
    )
  })
}
