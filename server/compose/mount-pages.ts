import { randomBytes } from 'node:crypto'
import type { Hono } from 'hono'
import type { Shared } from '../config.ts'
import type { Limiter } from '../http/limits.ts'
import { outbound } from '../http/outbound.ts'
import { pageLimits, pageMisses } from '../http/page-limits.ts'
import { loadAssets } from '../pages/assets.ts'
import { imageLimits } from '../pages/images.ts'
import { pages } from '../pages/pages.ts'
import type { PagesParts } from '../pages/pages-parts.ts'
import { busyPage, missingPage } from '../pages/standing-page.ts'
import type { HttpServer } from './http-server.ts'
import { elapsed } from './service-parts.ts'

export interface MountPagesParts extends Omit<PagesParts, 'assets' | 'walletRelay' | 'fetchImage' | 'clock' | 'addressOf' | 'nonce'> {
  readonly config: Pick<Shared, 'pages' | 'walletRelay'>
  readonly clientDir: string
  readonly misses: Limiter
  /** In local mode, images may be fetched over plain http and from loopback addresses. */
  readonly isLocal: boolean
}

export function mountPages(app: Hono, http: HttpServer, { config, clientDir, misses, isLocal, ...rest }: MountPagesParts): void {
  const { isTrustedProxy, hasConnectionBacklog, addressOf } = http
  const parts: PagesParts = {
    ...rest,
    assets: loadAssets(clientDir),
    walletRelay: config.walletRelay,
    fetchImage: async (url) => {
      const { timeoutMs, bytes: maxBytes } = imageLimits
      const response = await outbound({ url, method: 'GET', timeoutMs, maxBytes, allowLocal: isLocal })
      if (response.status !== 200) throw new Error(`the image's server answered ${response.status}`)
      return response.body
    },
    clock: Date.now,
    addressOf,
    nonce: () => randomBytes(16).toString('base64'),
  }
  app.use(pageLimits({ ...config.pages, isTrustedProxy, hasConnectionBacklog, clock: elapsed, refuse: busyPage(parts) }))
  app.use(pageMisses(misses, isTrustedProxy))
  app.route('/', pages(parts))
  app.notFound(missingPage(parts))
}
