import type { Context } from 'hono'
import type { Locale } from '../../src/wire/locale.ts'
import { readyResponse } from '../http/ready-response.ts'
import { scriptsOf } from './assets.ts'
import { pageHeaders } from './headers.ts'
import { languageOf } from './language.ts'
import { compressed, type Encoding, encodingOf } from './compression.ts'
import type { PagesParts } from './pages-parts.ts'

type BusyParts = Pick<PagesParts, 'render' | 'assets' | 'nonce' | 'payUrl' | 'publicBaseUrl' | 'clock'>

/** The page is rendered once per language and encoding, so that a refusal costs little. No script runs in it, so its nonce may stay. */
export function busyPage(parts: BusyParts): (c: Context, seconds: number) => Response {
  const { render, assets, payUrl, publicBaseUrl, clock } = parts
  const nonce = parts.nonce()
  const rendered = new Map<string, Uint8Array<ArrayBuffer>>()
  const pageFor = (locale: Locale, encoding: Encoding | undefined): Uint8Array<ArrayBuffer> => {
    const key = `${locale} ${encoding ?? ''}`
    const known = rendered.get(key)
    if (known) return known
    const data = { view: 'down', locale, asked: undefined, now: clock(), path: '', surface: 'page' } as const
    const plain = new TextEncoder().encode(render({ shell: { nonce, scripts: scriptsOf(assets) }, data }))
    const bytes = encoding ? compressed(plain, encoding, 'quick') : plain
    rendered.set(key, bytes)
    return bytes
  }
  return (c, seconds) => {
    const { locale } = languageOf(c.req.query('locale'), c.req.header('accept-language'))
    const encoding = encodingOf(c.req.header('accept-encoding'))
    // Any site may frame this page: it shows nothing of an order, and offers nothing to click but a reload.
    const ancestors = c.req.path.startsWith('/frame/') ? ['*'] : []
    const headers = {
      ...pageHeaders({ nonce, payUrl, baseUrl: publicBaseUrl, ancestors }, encoding),
      'cache-control': 'no-store',
      'retry-after': String(seconds),
    }
    return readyResponse(c, pageFor(locale, encoding), { status: 429, headers })
  }
}
