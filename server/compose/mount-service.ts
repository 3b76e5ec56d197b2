import type { Hono } from 'hono'
import { callbacks } from '../fiat/callbacks.ts'
import { spend } from '../http/access.ts'
import { guardProblem } from './guard-problem.ts'
import { healthOf } from '../monitoring/health.ts'
import { reference } from '../reference/reference.ts'
import { createApi } from './api.ts'
import { isEvmChain } from '../chains/evm/create-evm-chain.ts'
import type { Core } from './core.ts'
import { describedChains } from './described-chains.ts'
import { invoicesFor } from './invoice-port.ts'
import { mountPages } from './mount-pages.ts'
import type { HttpServer } from './http-server.ts'
import { ownOrders } from './own-orders.ts'
import { elapsed, type ServiceParts } from './service-parts.ts'
import { settlementChanges } from './settlement-change-port.ts'

/** Mounts everything that a service serves over HTTP. The order matters, because the first matching path wins. */
export function mountService(app: Hono, http: HttpServer, parts: ServiceParts, core: Core, signal: AbortSignal): void {
  const { config, sql, log, isLocal, invoicing } = parts
  const { engine, keys, limits } = core
  const { payUrl, chains } = engine
  const health = healthOf({ sql, chains, warnAfterMs: config.sendAgeWarningMs, isStopping: () => signal.aborted, clock: elapsed })
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const state = await health()
    return c.json(state, state.ready ? 200 : 503)
  })
  app.route(
    '/',
    createApi({
      ...core,
      access: { keys, ...limits, addressOf: http.addressOf },
      allowLocalWebhooks: isLocal,
      settlementRules: {
        delaySeconds: config.settlementDelaySeconds,
        sendsMail: invoicing?.mail !== undefined,
        guardProblem: guardProblem(parts.chains.filter(isEvmChain)),
      },
      rpcOf: (chainId) => parts.chains.filter(isEvmChain).find(({ id }) => id === chainId)?.rpc,
      bank: parts.bank,
      identity: parts.identity,
    }),
  )
  app.route('/', callbacks(engine, { ...parts, countMiss: (c) => spend(limits.misses, http.addressOf(c)) }))
  if (parts.stylesheet !== undefined) app.route('/', reference(payUrl, parts.stylesheet, describedChains(engine)))
  parts.extraRoutes?.(app, engine)
  mountPages(app, http, {
    config,
    clientDir: parts.clientDir,
    misses: limits.misses,
    lookups: limits.lookups,
    isLocal,
    orders: ownOrders(core),
    publicBaseUrl: `${payUrl}/v3`,
    payUrl,
    settlementChanges: parts.stylesheet === undefined ? undefined : settlementChanges(engine, parts.stylesheet),
    invoices: invoicing && { ...invoicesFor(engine), words: invoicing.words },
    factory: parts.factory,
    render: parts.render,
    receiptSheet: parts.receiptSheet,
    log,
  })
}
