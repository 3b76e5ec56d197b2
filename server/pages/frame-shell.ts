import type { Hono } from 'hono'
import { scriptsOf } from './assets.ts'
import type { PagesParts } from './pages-parts.ts'

/** Serves an empty frame that any site may embed, so that browsers fetch what every page needs while the order is being created. */
export function frameShell(app: Hono, { assets, payUrl }: PagesParts): void {
  const { main, host } = scriptsOf(assets)
  const links = [...new Set([...main, ...host])].map((href) => `<link rel="modulepreload" href="${href}">`).join('')
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>Till</title>${links}</head></html>`
  app.get('/frame', () => new Response(html, { headers: headersFor(new URL(payUrl).origin) }))
}

const headersFor = (origin: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'content-security-policy': `default-src 'none'; script-src ${origin}/assets/; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'cross-origin-embedder-policy': 'credentialless',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})
