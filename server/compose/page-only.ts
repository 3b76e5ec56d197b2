import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Render } from '../../src/wire/boot.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { Config } from '../config.ts'
import { trustedProxies } from '../http/client-address.ts'
import { callerOf } from '../http/caller-of.ts'
import { crowd } from '../http/connection-limit.ts'
import { limiter } from '../http/limits.ts'
import { listen } from '../http/listen.ts'
import { outbound } from '../http/outbound.ts'
import { pageLimits } from '../http/page-limits.ts'
import { pageMisses } from '../http/page-misses.ts'
import { loadAssets } from '../pages/assets.ts'
import { busyPage } from '../pages/busy-page.ts'
import { imageLimits } from '../pages/images.ts'
import { pages, type PagesParts } from '../pages/pages.ts'
import { invoicesOf } from '../pages/signed-invoices.ts'

export interface PageOnlyParts {
  readonly config: Extract<Config, { mode: 'pages' }>
  readonly log: Logger
  readonly render: Render
  readonly invoiceWords: InvoiceWordsOf
  readonly clientDir: string
}

export interface RunningPages {
  readonly payUrl: string
  stop(): Promise<void>
}

const patienceMs = 10_000

/** Only the pages, in front of any service that follows the specification: browsers talk to it directly, with the API key. */
export async function startPageOnly({ config, log, render, invoiceWords, clientDir }: PageOnlyParts): Promise<RunningPages> {
  const app = new Hono()
  let stopping = false
  const isTrustedProxy = trustedProxies(config.trustedProxies)
  const elapsed = () => performance.now()
  const present = crowd(config.connectionsPerAddress, isTrustedProxy, () =>
    log.warn('an address holds as many connections as it may; if it is a proxy of yours, name it in TRUSTED_PROXIES'),
  )
  const opened = await listen((request, env) => app.fetch(request, env), {
    host: config.host,
    port: config.port,
    present,
    isTrustedProxy,
    upgrades: false,
  })
  const payUrl = config.payUrl ?? `http://localhost:${opened.port}`
  const origin = new URL(config.baseUrl).origin
  const ask = (url: string, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers)
    headers.set('x-api-key', config.apiKey)
    return fetch(url, { ...init, headers, redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
  }
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const ready =
      !stopping &&
      (await fetch(`${config.baseUrl}/openapi.json`, { signal: AbortSignal.timeout(2_000) }).then(
        (answer) => answer.ok,
        () => false,
      ))
    return c.json({ ready, checks: { service: { ok: ready } } }, ready ? 200 : 503)
  })
  const pageParts: PagesParts = {
    api: (path, init) => ask(config.baseUrl + path, init),
    v2: (path, init) => ask(origin + path, init),
    publicBaseUrl: config.baseUrl,
    payUrl,
    keyFor: async () => config.apiKey,
    embedOrigins: config.embedOrigins,
    invoices: { find: invoicesOf(config), words: invoiceWords },
    render,
    assets: loadAssets(clientDir),
    walletRelay: config.walletRelay,
    fetchImage: async (url) => {
      const answer = await outbound({
        url,
        method: 'GET',
        timeoutMs: imageLimits.timeoutMs,
        maxBytes: imageLimits.bytes,
        allowLocal: false,
      })
      if (answer.status !== 200) throw new Error(`the image answered ${answer.status}`)
      return answer.body
    },
    clock: Date.now,
    addressOf: (c) => callerOf(c, isTrustedProxy),
    nonce: () => randomBytes(16).toString('base64'),
    log,
  }
  app.use(pageLimits({ ...config.pages, isTrustedProxy, isAccepting: opened.isAccepting, clock: elapsed, refuse: busyPage(pageParts) }))
  app.use(pageMisses(limiter({ perSecond: 0.5, burst: 30 }, elapsed), isTrustedProxy))
  app.route('/', pages(pageParts))
  return {
    payUrl,
    async stop() {
      stopping = true
      const closed = opened.close()
      opened.server.closeIdleConnections()
      await closed
    },
  }
}
