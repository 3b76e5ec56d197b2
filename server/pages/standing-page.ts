import type { Context } from 'hono'
import type { LoneBoot } from '../../src/wire/boot.ts'
import type { Locale } from '../../src/wire/locale.ts'
import { readyResponse } from '../http/ready-response.ts'
import { scriptsOf } from './assets.ts'
import { pageHeaders } from './headers.ts'
import { languageOf } from './language.ts'
import { compressed, type Encoding, encodingOf } from './compression.ts'
import type { PagesParts } from './pages-parts.ts'

type StandingParts = Pick<PagesParts, 'render' | 'assets' | 'nonce' | 'payUrl' | 'publicBaseUrl' | 'clock'>

/** Refuses a request for now. */
export function busyPage(parts: StandingParts): (c: Context, seconds: number) => Response {
  const page = standingPage(parts, 'down', 429)
  return (c, seconds) => page(c, { 'retry-after': String(seconds) })
}

/** Answers whoever follows a mistyped link. Programs get a line of text, as from any other server. */
export function missingPage(parts: StandingParts): (c: Context) => Response {
  const page = standingPage(parts, 'missing', 404)
  return (c) => (c.req.header('accept')?.includes('text/html') ? page(c, {}) : c.text('404 Not Found', 404))
}

/** Says the same to everybody, so it is rendered once per language and encoding and costs little. No script runs in it, so its nonce may stay. */
function standingPage(parts: StandingParts, view: LoneBoot['view'], status: number) {
  const { render, assets, payUrl, publicBaseUrl, clock } = parts
  const nonce = parts.nonce()
  const rendered = new Map<string, Uint8Array<ArrayBuffer>>()
  const pageFor = (locale: Locale, encoding: Encoding | undefined): Uint8Array<ArrayBuffer> => {
    const key = `${locale} ${encoding ?? ''}`
    const known = rendered.get(key)
    if (known) return known
    const data = { view, locale, asked: undefined, now: clock(), path: '', surface: 'page' } as const
    const plain = new TextEncoder().encode(render({ shell: { nonce, scripts: scriptsOf(assets) }, data }))
    const bytes = encoding ? compressed(plain, encoding, 'quick') : plain
    rendered.set(key, bytes)
    return bytes
  }
  return (c: Context, more: Readonly<Record<string, string>>): Response => {
    const { locale } = languageOf(c.req.query('locale'), c.req.header('accept-language'))
    const encoding = encodingOf(c.req.header('accept-encoding'))
    // Any site may frame this page: it shows nothing of an order, and offers nothing to click but a reload.
    const ancestors = c.req.path.startsWith('/frame/') ? ['*'] : []
    const headers = {
      ...pageHeaders({ nonce, payUrl, baseUrl: publicBaseUrl, ancestors }, encoding),
      'cache-control': 'no-store',
      ...more,
    }
    return readyResponse(c, pageFor(locale, encoding), { status, headers })
  }
}
