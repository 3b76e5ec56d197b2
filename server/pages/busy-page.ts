import type { Context } from 'hono'
import type { Locale } from '../../src/wire/locale.ts'
import { readyResponse } from '../http/ready-response.ts'
import { scriptsOf } from './assets.ts'
import { pageHeaders } from './headers.ts'
import { languageOf } from './language.ts'
import { packed, type Packing, packingOf } from './packing.ts'
import type { PagesParts } from './pages.ts'

type BusyParts = Pick<PagesParts, 'render' | 'assets' | 'nonce' | 'payUrl' | 'publicBaseUrl' | 'clock'>

/**
 * The page for somebody whose address opens too many: that it can't be shown right now, in his language, and it looks again by itself. It is
 * made and packed once, since to refuse must cost less than to answer; nothing runs in it, so that its nonce may stay the same.
 */
export function busyPage(parts: BusyParts): (c: Context, seconds: number) => Response {
  const { render, assets, payUrl, publicBaseUrl, clock } = parts
  const nonce = parts.nonce()
  const made = new Map<string, Uint8Array<ArrayBuffer>>()
  const pageFor = (locale: Locale, packing: Packing | undefined): Uint8Array<ArrayBuffer> => {
    const key = `${locale} ${packing ?? ''}`
    const known = made.get(key)
    if (known) return known
    const data = { view: 'down', locale, asked: undefined, now: clock(), path: '', surface: 'page' } as const
    const plain = new TextEncoder().encode(render({ shell: { nonce, scripts: scriptsOf(assets) }, data }))
    const bytes = packing ? packed(plain, packing, 'quick') : plain
    made.set(key, bytes)
    return bytes
  }
  return (c, seconds) => {
    const { locale } = languageOf(c.req.query('locale'), c.req.header('accept-language'))
    const packing = packingOf(c.req.header('accept-encoding'))
    // In a frame its host may be anybody: it says nothing about an order, and has nothing to click but itself.
    const ancestors = c.req.path.startsWith('/frame/') ? ['*'] : []
    const headers = {
      ...pageHeaders({ nonce, payUrl, baseUrl: publicBaseUrl, ancestors }, packing),
      'cache-control': 'no-store',
      'retry-after': String(seconds),
    }
    return readyResponse(c, pageFor(locale, packing), { status: 429, headers })
  }
}
