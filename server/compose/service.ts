import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Render } from '../../src/wire/boot.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import { createApp } from './app.ts'
import { callbacks } from '../fiat/callbacks.ts'
import type { Chain } from '../chains/chain.ts'
import type { EvmChain } from '../chains/evm/create-evm-chain.ts'
import { createSender } from '../outgoing/evm/create-sender.ts'
import type { Shared } from '../config.ts'
import { follow } from '../events/follow.ts'
import { createHub } from '../events/hub.ts'
import { postgresDoorbell } from '../events/doorbell.ts'
import { sockets, type Sockets } from '../events/sockets.ts'
import { healthOf } from '../monitoring/health.ts'
import { spend } from '../http/access.ts'
import { addressName, trustedProxies } from '../http/client-address.ts'
import { countryOf, withCountry } from '../http/country.ts'
import { callerOf } from '../http/caller-of.ts'
import { crowd } from '../http/connection-limit.ts'
import { errorBody } from '../http/api-error.ts'
import { limiter } from '../http/limits.ts'
import { listen } from '../http/listen.ts'
import type { Incoming } from '../http/route.ts'
import { outbound } from '../http/outbound.ts'
import { pageLimits } from '../http/page-limits.ts'
import { pageMisses } from '../http/page-misses.ts'
import { costsOf } from '../orders/costs.ts'
import { deliverer, type DeliverParts } from '../webhooks/deliver.ts'
import type { Engine } from '../orders/engine.ts'
import { expire } from '../orders/expire.ts'
import { invoicesFor } from './invoice-port.ts'
import { sendMails } from '../invoices/send-mails.ts'
import { pause } from '../lib/pause.ts'
import { orderEffects } from '../orders/order-effects.ts'
import { invoiceEffects } from '../invoices/invoicing.ts'
import { defaultPolicy } from '../orders/policy.ts'
import { settle } from '../outgoing/settle.ts'
import { sweepOne } from '../incoming/sweep.ts'
import { watch } from '../incoming/watch.ts'
import { metrics } from '../monitoring/metrics.ts'
import { loadAssets } from '../pages/assets.ts'
import { busyPage } from '../pages/busy-page.ts'
import { imageLimits } from '../pages/images.ts'
import { pages, type PagesParts } from '../pages/pages.ts'
import { reference } from '../reference/reference.ts'
import { poolSwap } from '../providers/pool-swap.ts'
import type { Bank } from '../providers/bank.ts'
import type { CardDesk } from '../providers/card.ts'
import type { Identity } from '../providers/identity.ts'
import type { Mail } from '../providers/mail.ts'
import type { Prices } from '../providers/prices.ts'
import type { Sql } from '../database/connect.ts'
import { forgetOldAnswers } from '../http/idempotency.ts'
import { keysOf } from '../organizations/keys.ts'
import { forgetOldGas } from '../orders/gas-used.ts'
import { forgetOldEvents } from '../database/retention.ts'
import { anyKey, keyForOrder, orderById, orderIsOf } from '../orders/order-queries.ts'
import { createX402, type X402Parts } from '../incoming/x402/x402.ts'

export interface ServiceParts {
  readonly config: Shared
  readonly sql: Sql
  readonly chains: readonly EvmChain[]
  readonly prices: Prices
  readonly log: Logger
  readonly render: Render
  /** What invoices are written and sent with. Without a mail server, mail stays owed until a process has one. */
  readonly paper?: { readonly words: InvoiceWordsOf; readonly mail?: Mail; readonly sender?: string }
  readonly bank?: Bank
  readonly identity?: Identity
  readonly card?: CardDesk
  readonly clientDir: string
  /** The page's stylesheet, which the API's reference stands on; absent: there is none. */
  readonly sheet?: string
  readonly x402?: Pick<X402Parts, 'waitMs' | 'acceptEarly'>
  readonly deliveries?: Pick<DeliverParts, 'schedule' | 'answerWithinMs' | 'leaseSeconds'>
  /** Local mode: plain http and loopback may be called, test routes exist. */
  readonly isLocal: boolean
  /** What only one mode has, beside the API and before the pages. */
  readonly more?: (app: Hono, engine: Engine) => void
}

export interface Running {
  readonly payUrl: string
  readonly metricsPort: number
  readonly engine: Engine
  readonly sockets: Pick<Sockets, 'cut'>
  stop(): Promise<void>
}

/** The whole payments service on one database: API, pages, sockets, watchers, the sending queue, webhooks. */
export async function startService(parts: ServiceParts): Promise<Running> {
  const { config, sql, log, prices } = parts
  const clock = Date.now
  /** For how long something lasts: a machine's clock may be put back, and what was to last a second would last an hour. */
  const elapsed = () => performance.now()
  const stopping = new AbortController()
  const { signal } = stopping
  // Every job and request under way listens to it.
  setMaxListeners(0, signal)
  const chains: ReadonlyMap<ChainId, Chain> = new Map(parts.chains.map((chain) => [chain.id, chain]))
  const isTrustedProxy = trustedProxies(config.trustedProxies)
  /** Believed only from a proxy that is trusted. Local mode, which has none, is in the US until its header says something else. */
  const countryFrom = (request: Request, env: Incoming): string | undefined => {
    const said = config.countryHeader === undefined ? null : request.headers.get(config.countryHeader)
    if (parts.isLocal) return said === null ? 'US' : countryOf(said)
    return isTrustedProxy(env.incoming?.socket.remoteAddress ?? '') ? countryOf(said ?? undefined) : undefined
  }
  const present = crowd(config.connectionsPerAddress, isTrustedProxy, () =>
    log.warn('an address holds as many connections as it may; if it is a proxy of yours, name it in TRUSTED_PROXIES'),
  )
  const app = new Hono()
  let isReady = false
  const open = { sockets: () => 0 }
  const figures = await metrics({ host: '127.0.0.1', port: config.metricsPort, sql, chains: parts.chains, sockets: () => open.sockets() })
  const opened = await listen(
    async (request, env) => {
      const began = performance.now()
      const country = countryFrom(request, env)
      const response =
        isReady && !signal.aborted ? await withCountry(country, async () => app.fetch(request, env)) : unavailable(signal.aborted)
      figures.request(request.method, response.status, (performance.now() - began) / 1000)
      return response
    },
    { host: config.host, port: config.port, present, isTrustedProxy, upgrades: true },
  )
  const payUrl =
    config.payUrl ?? `http://${config.host === '127.0.0.1' || config.host === '::1' ? 'localhost' : config.host}:${opened.port}`

  const doorbell = postgresDoorbell(sql)
  const sender = createSender({
    sql,
    chains: parts.chains,
    onProblem: (chainId, error) => log.warn({ err: error, chain: chainId }, 'the sending queue met a problem'),
  })
  const costs = costsOf({ sql, clock, chains, prices, log })
  const engine: Engine = {
    sql,
    clock,
    chains,
    sender,
    prices,
    swap: poolSwap(parts.chains),
    card: parts.card,
    log,
    payUrl,
    policy: {
      ...defaultPolicy(config.paymentWindowMs),
      legGas: (asset) => costs.of(asset, 'leg'),
      refundGas: (asset) => costs.of(asset, 'refund'),
    },
    transferCents: costs.transferCents,
    minimum: costs.minimum,
    gasPerHour: config.gasPerHour,
    effects: [orderEffects, invoiceEffects],
    notifyLog: () => {
      doorbell.ring()
      deliveries.wake()
    },
  }
  const deliveries = deliverer({ sql, log, allowLocal: parts.isLocal, ...parts.deliveries })
  const x402 = createX402({ engine, chains: parts.chains, ...config.x402, ...parts.x402 })
  const keys = keysOf(sql, elapsed)
  const limits = {
    calls: limiter({ perSecond: config.callsPerSecond, burst: config.callBurst }, elapsed),
    misses: limiter({ perSecond: 0.5, burst: 30 }, elapsed),
    lookups: limiter({ perSecond: config.lookupsPerSecond, burst: config.lookupBurst }, elapsed),
  }
  const health = healthOf({ sql, chains, warnAfterMs: config.sendAgeWarningMs, isStopping: () => signal.aborted, clock: elapsed })

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const state = await health()
    return c.json(state, state.ready ? 200 : 503)
  })
  const api = createApp({
    engine,
    keys,
    ...limits,
    isTrustedProxy,
    allowLocalWebhooks: parts.isLocal,
    x402,
    bank: parts.bank,
    identity: parts.identity,
  })
  app.route('/', api)
  app.route('/', callbacks(engine, { ...parts, countMiss: (c) => spend(limits.misses, callerOf(c, isTrustedProxy)) }))
  if (parts.sheet !== undefined) app.route('/', reference(payUrl, parts.sheet))
  parts.more?.(app, engine)
  const withKey = async (path: string, init?: RequestInit): Promise<Response> => {
    const orderId = /^\/(?:v2\/pay-)?orders\/([^/?]+)/.exec(path)?.[1]
    const key = orderId ? await keyForOrder(sql, orderId) : await anyKey(sql)
    const headers = new Headers(init?.headers)
    if (key) headers.set('x-api-key', key)
    return api.request(path.startsWith('/v2/') ? path : `/v3${path}`, { ...init, headers })
  }
  const pageParts: PagesParts = {
    api: withKey,
    v2: withKey,
    publicBaseUrl: `${payUrl}/v3`,
    payUrl,
    keyFor: (orderId) => keyForOrder(sql, orderId),
    render: parts.render,
    assets: loadAssets(parts.clientDir),
    walletRelay: config.walletRelay,
    fetchImage: async (url) => {
      const answer = await outbound({
        url,
        method: 'GET',
        timeoutMs: imageLimits.timeoutMs,
        maxBytes: imageLimits.bytes,
        allowLocal: parts.isLocal,
      })
      if (answer.status !== 200) throw new Error(`the image answered ${answer.status}`)
      return answer.body
    },
    invoices: parts.paper && { ...invoicesFor(engine), words: parts.paper.words },
    clock,
    addressOf: (c) => callerOf(c, isTrustedProxy),
    nonce: () => randomBytes(16).toString('base64'),
    log,
  }
  app.use(pageLimits({ ...config.pages, isTrustedProxy, isAccepting: opened.isAccepting, clock: elapsed, refuse: busyPage(pageParts) }))
  app.use(pageMisses(limits.misses, isTrustedProxy))
  app.route('/', pages(pageParts))

  const hub = createHub()
  const live = sockets(opened.server, {
    hub,
    keys,
    clock,
    misses: limits.misses,
    present,
    addressOf: (request) => addressName(request, isTrustedProxy),
    isOrderOf: (organizationId, orderId) => orderIsOf(sql, organizationId, orderId),
    path: '/v3/ws',
  })
  open.sockets = live.count
  await costs.refresh(AbortSignal.timeout(5_000)).catch((error: unknown) => log.warn({ err: error }, 'gas prices cannot be read yet'))

  const beforeExpiry = async (orderId: string) => {
    const order = await orderById(sql, orderId)
    const isExpiring = order?.status === 'PENDING' || order?.status === 'AWAITING_PAYMENT'
    if (isExpiring) await sweepOne(engine, order, 'asked', AbortSignal.any([signal, AbortSignal.timeout(10_000)]))
  }
  const jobs = [
    follow(
      { sql, doorbell, log },
      (events) => {
        hub.publish(events)
        figures.events(events.length)
        deliveries.wake()
      },
      signal,
    ),
    deliveries.run(signal),
    expire(engine, beforeExpiry, signal),
    costs.run(signal),
    housekeeping(engine, keys.flush, signal),
    ...(parts.paper?.mail
      ? [
          sendMails(
            {
              engine,
              mail: parts.paper.mail,
              sender: parts.paper.sender ?? `invoices@${new URL(payUrl).hostname}`,
              wordsOf: parts.paper.words,
            },
            signal,
          ),
        ]
      : []),
    ...parts.chains.map((chain) => watch(engine, chain, chain.config, signal, x402.reports)),
    ...parts.chains.map((chain) => settle(engine, chain, signal, x402.reports)),
    x402.run(signal),
  ]
  isReady = true

  return {
    payUrl,
    metricsPort: figures.port,
    engine,
    sockets: live,
    async stop() {
      stopping.abort()
      const closed = opened.close()
      await live.close()
      await Promise.race([closed, pause(5_000)])
      opened.server.closeAllConnections()
      await Promise.allSettled(jobs)
      await keys.flush().catch((error: unknown) => log.warn({ err: error }, 'the last use of keys was not written down'))
      hub.close()
      await figures.close()
      await sql.end({ timeout: 3 })
    },
  }
}

const unavailable = (isStopping: boolean): Response =>
  Response.json(
    errorBody(503, isStopping ? 'The service is shutting down. Try again in a moment.' : 'The service is starting. Try again in a moment.'),
    { status: 503, headers: { 'retry-after': '1' } },
  )

async function housekeeping(engine: Engine, flushKeys: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let rounds = 0
  while (!signal.aborted) {
    await pause(10_000, signal)
    try {
      await flushKeys()
      if (rounds++ % 60 !== 0) continue
      await forgetOldAnswers(engine.sql)
      await forgetOldEvents(engine.sql)
      await forgetOldGas(engine.sql)
    } catch (error) {
      if (!signal.aborted) engine.log.warn({ err: error }, 'housekeeping failed; trying again')
    }
  }
}
