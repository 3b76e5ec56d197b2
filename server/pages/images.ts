import type { Hono } from 'hono'
import type { ServedOrder } from './order-source.ts'
import { fairQueue } from '../lib/fair-queue.ts'
import { loadOrderAlone } from './load-order.ts'
import type { PagesParts } from './pages-parts.ts'
import { surfacePattern } from './surface.ts'

export const imageLimits = { bytes: 256 * 1024, timeoutMs: 5_000 } as const

const cacheLimits = { entries: 64, foundMs: 3_600_000, missingMs: 60_000 } as const

interface Image {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly bytes: Uint8Array
}

/** An order that names a hundred pictures must not turn us into a hundred clients of their host. */
export const perHost = { atOnce: Infinity, perName: 4, waiting: 200 } as const
/** Limits the requests of one merchant over all hosts, so that slow hosts delay only their own merchant's pictures. */
const perOrganization = { atOnce: 64, perName: 16, waiting: 200 } as const

/** Pictures come from our origin, so that no third party learns who pays. A request names an order and its logo or an item, never a URL. */
export function imageRoutes(app: Hono, parts: PagesParts): void {
  const cache = new Map<string, { until: number; image: Promise<Image | undefined> }>()
  const organizations = fairQueue(perOrganization)
  const hosts = fairQueue(perHost)
  const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '')
  const fetched = async (url: string, organizationId: string): Promise<Image | undefined> => {
    // A shared host serves many shops, so each organisation has a queue of its own there.
    const name = `${organizationId} ${hostOf(url)}`
    const bytes = await hosts.run(name, async () => organizations.run(organizationId, () => parts.fetchImage(url)))
    return bytes && imageOf(bytes)
  }
  const get = (url: string, organizationId: string): Promise<Image | undefined> => {
    const now = parts.clock()
    const known = cache.get(url)
    if (known && known.until > now) return known.image
    const image = fetched(url, organizationId).catch(() => undefined)
    const entry = { until: now + cacheLimits.foundMs, image }
    cache.delete(url)
    cache.set(url, entry)
    void image.then((found) => {
      if (!found) entry.until = now + cacheLimits.missingMs
    })
    for (const oldest of cache.keys()) {
      if (cache.size <= cacheLimits.entries) break
      cache.delete(oldest)
    }
    return image
  }
  const send = async (order: ServedOrder | undefined, url: string | undefined): Promise<Response> => {
    const image = order === undefined || url === undefined ? undefined : await get(url, order.organization_id ?? '')
    if (!image) return new Response(null, { status: 404, headers: { 'cache-control': 'no-store' } })
    return new Response(new Uint8Array(image.bytes), {
      headers: {
        'content-type': image.type,
        'cache-control': 'private, max-age=3600',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      },
    })
  }
  app.get(`/${surfacePattern}/:id/logo`, async (c) => {
    const order = await loadOrderAlone(parts, c.req.param('id'))
    return send(order, order?.settings?.logo_url)
  })
  app.get(`/${surfacePattern}/:id/image/:at{[0-9]{1,3}}`, async (c) => {
    const order = await loadOrderAlone(parts, c.req.param('id'))
    return send(order, order?.metadata?.items?.[Number(c.req.param('at'))]?.image)
  })
}

/** Reads the type from the bytes, since a host could claim any. It accepts no SVG, which could carry script. */
export function imageOf(bytes: Uint8Array): Image | undefined {
  if (bytes.length > imageLimits.bytes) return undefined
  const starts = (at: number, ...codes: number[]) => codes.every((code, index) => bytes[at + index] === code)
  if (starts(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return { type: 'image/png', bytes }
  if (starts(0, 0xff, 0xd8, 0xff)) return { type: 'image/jpeg', bytes }
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return { type: 'image/webp', bytes }
  return undefined
}
