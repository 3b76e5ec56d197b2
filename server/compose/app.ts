import { Hono, type MiddlewareHandler } from 'hono'
import { addressName, type Proxies } from '../http/client-address.ts'
import { readyResponse } from '../http/ready-response.ts'
import { cors } from '../http/cors.ts'
import { failures } from '../http/on-error.ts'
import type { Limiter } from '../http/limits.ts'
import { type Incoming, router } from '../http/route.ts'
import { closeWith } from '../http/fallbacks.ts'
import type { Engine } from '../orders/engine.ts'
import type { Bank } from '../providers/bank.ts'
import type { Identity } from '../providers/identity.ts'
import { rememberedSwap } from '../providers/remembered-swap.ts'
import { apiKeys } from '../organizations/api-keys.ts'
import { bankDeposits } from '../fiat/bank-routes.ts'
import { currencies } from '../currencies/currencies.ts'
import { emailChallenge } from '../fiat/email-challenge.ts'
import { fees } from '../organizations/fees.ts'
import { invoices } from '../invoices/invoice-routes.ts'
import { offRamp } from '../fiat/off-ramp.ts'
import { openapi } from '../reference/openapi.ts'
import { orders } from '../orders/routes/orders.ts'
import { payment } from '../orders/routes/payment.ts'
import { paymentMethods } from '../orders/routes/payment-methods.ts'
import { portfolio } from '../currencies/portfolio.ts'
import { quotes } from '../currencies/quotes.ts'
import { refunds } from '../orders/routes/refunds.ts'
import { swap } from '../currencies/swap.ts'
import { transactions } from '../orders/routes/transactions.ts'
import { webhooks } from '../webhooks/webhook-routes.ts'
import { x402Complete } from '../incoming/x402/x402-routes.ts'
import type { Keys } from '../http/keys.ts'
import type { X402 } from '../incoming/x402/x402.ts'
import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'

export interface AppParts {
  readonly engine: Engine
  readonly keys: Keys
  readonly calls: Limiter
  readonly misses: Limiter
  readonly lookups: Limiter
  readonly isTrustedProxy: Proxies
  readonly allowLocalWebhooks: boolean
  readonly bank?: Bank
  readonly identity?: Identity
  readonly x402: X402
}

const own = 'own pages'
const unlimited: Limiter = { take: () => 0, peek: () => 0 }

/**
 * What one caller is told is no other's: no cache between us may keep it, also not what is refused at the door and what fails.
 * X-API-KEY is not Authorization, so a cache would not know by itself.
 */
const unkept: MiddlewareHandler = async (c, next) => {
  await next()
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  c.res.headers.set('x-content-type-options', 'nosniff')
}

/** The API as one function from request to response: /v3 and the published /v2 path. */
export function createApp(parts: AppParts): Hono {
  const { engine, keys, calls, misses, lookups, isTrustedProxy } = parts
  const app = new Hono()
  app.onError(failures(engine.log))

  const addressOf = (c: { env?: unknown }): string => {
    const { incoming } = (c.env ?? {}) as Incoming
    return incoming ? addressName(incoming, isTrustedProxy) : own
  }
  /** Our own pages call on behalf of everybody: their address has no limits. */
  const exceptOwn = (limiter: Limiter): Limiter => ({
    take: (name) => (name === own || name.endsWith(` ${own}`) ? unlimited : limiter).take(name),
    peek: (name) => (name === own ? unlimited : limiter).peek(name),
  })
  const access = {
    sql: engine.sql,
    keys,
    clock: engine.clock,
    calls: exceptOwn(calls),
    misses: exceptOwn(misses),
    lookups: exceptOwn(lookups),
    addressOf,
  }

  const v3 = new Hono()
  v3.use(cors('/v3', Object.values(endpoints)))
  v3.use(unkept)
  const route = router(v3, { ...access, prefix: '/v3' })
  const v2 = new Hono()
  v2.use(cors('/v2', [paymentMethodsV2]))
  v2.use(unkept)
  const routeV2 = router(v2, { ...access, prefix: '/v2' })

  let description: Uint8Array<ArrayBuffer> | undefined
  v3.get('/openapi.json', (c) => {
    description ??= new TextEncoder().encode(JSON.stringify(openapi(`${engine.payUrl}/v3`, engine.payUrl)))
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }
    return readyResponse(c, description, { headers })
  })
  orders(route, engine)
  payment(route, engine)
  paymentMethods(route, routeV2, engine)
  transactions(route, engine)
  refunds(route, engine)
  x402Complete(route, engine, parts.x402)
  webhooks(route, engine, parts.allowLocalWebhooks)
  currencies(route, engine)
  // What is only shown may be a moment old. What money is decided by is asked when it is decided.
  const shown = { ...engine, swap: rememberedSwap(engine.swap, () => performance.now()) }
  swap(route, shown)
  quotes(route, shown)
  portfolio(route, engine)
  apiKeys(route, engine)
  invoices(route, engine)
  bankDeposits(route, engine, parts.bank)
  offRamp(route, engine, parts.identity)
  emailChallenge(route, engine)
  fees(route, engine)
  closeWith(v3, Object.values(endpoints))
  closeWith(v2, [paymentMethodsV2])

  app.route('/v3', v3)
  app.route('/v2', v2)
  return app
}
