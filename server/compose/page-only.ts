import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { limiter } from '../http/limits.ts'
import { remoteOrders } from '../pages/remote-orders.ts'
import { invoicesOf } from '../pages/signed-invoices.ts'
import type { BuiltPage } from './built-page.ts'
import { mountPages } from './mount-pages.ts'
import { startHttpServer } from './http-server.ts'
import { elapsed } from './service-parts.ts'

export interface PageOnlyParts {
  readonly config: Extract<Config, { mode: 'pages' }>
  readonly log: Logger
  readonly page: BuiltPage
  readonly clientDir: string
}

export interface RunningPages {
  readonly payUrl: string
  stop(): Promise<void>
}

/** Starts only the pages, for any service that implements the specification. Browsers call that service directly, with the API key. */
export async function startPageOnly({ config, log, page, clientDir }: PageOnlyParts): Promise<RunningPages> {
  const app = new Hono()
  let isStopping = false
  const http = await startHttpServer({ config, log, isLocal: false, upgrades: false }, (request, env) => app.fetch(request, env))
  const payUrl = config.payUrl ?? `http://localhost:${http.port}`
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const isReady = !isStopping && (await answers(`${config.baseUrl}/openapi.json`))
    return c.json({ ready: isReady, checks: { service: { ok: isReady } } }, isReady ? 200 : 503)
  })
  mountPages(app, http, {
    config,
    clientDir,
    misses: limiter({ perSecond: 0.5, burst: 30 }, elapsed),
    isLocal: false,
    orders: remoteOrders(config),
    publicBaseUrl: config.baseUrl,
    payUrl,
    embedOrigins: config.embedOrigins,
    factory: config.factory,
    invoices: { find: invoicesOf(config), words: page.invoiceWords },
    render: page.render,
    receiptSheet: page.receiptSheet,
    log,
  })
  return {
    payUrl,
    async stop() {
      isStopping = true
      const closed = http.close()
      http.server.closeIdleConnections()
      await closed
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  )
