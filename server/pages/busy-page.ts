import type { Context } from 'hono'
import type { Locale } from '../../src/wire/locale.ts'
import { readyResponse } from '../http/ready-response.ts'
import { scriptsOf } from './assets.ts'
import { pageHeaders } from './headers.ts'
import { languageOf } from './language.ts'
import { packed, type Packing, packingOf } from './packing.ts'
import type { PagesParts } from './pages-parts.ts'

type BusyParts = Pick<PagesParts, 'render' | 'assets' | 'nonce' | 'payUrl' | 'publicBaseUrl' | 'clock'>

/**
 * Responds to an address that opens too many pages with one that reloads by itself. It is rendered and compressed once per language, since
 * a refusal must cost less than an answer. No script runs in it, so its nonce may stay the same.
 */
export function busyPage(parts: BusyParts): (c: Context, seconds: number) => Response {
  const { render, assets, payUrl, publicBaseUrl, clock } = parts
  const nonce = parts.nonce()
  const rendered = new Map<string, Uint8Array<ArrayBuffer>>()
  const pageFor = (locale: Locale, packing: Packing | undefined): Uint8Array<ArrayBuffer> => {
    const key = `${locale} ${packing ?? ''}`
    const known = rendered.get(key)
    if (known) return known
    const data = { view: 'down', locale, asked: undefined, now: clock(), path: '', surface: 'page' } as const
    const plain = new TextEncoder().encode(render({ shell: { nonce, scripts: scriptsOf(assets) }, data }))
    const bytes = packing ? packed(plain, packing, 'quick') : plain
    rendered.set(key, bytes)
    return bytes
  }
  return (c, seconds) => {
    const { locale } = languageOf(c.req.query('locale'), c.req.header('accept-language'))
    const packing = packingOf(c.req.header('accept-encoding'))
    // Any site may frame this page: it shows nothing of an order, and offers nothing to click but a reload.
    const ancestors = c.req.path.startsWith('/frame/') ? ['*'] : []
    const headers = {
      ...pageHeaders({ nonce, payUrl, baseUrl: publicBaseUrl, ancestors }, packing),
      'cache-control': 'no-store',
      'retry-after': String(seconds),
    }
    return readyResponse(c, pageFor(locale, packing), { status: 429, headers })
  }
}
