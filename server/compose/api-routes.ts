import { currencies, type FindCurrencies } from '../currencies/currencies.ts'
import { portfolio } from '../currencies/portfolio.ts'
import { quotes } from '../currencies/quotes.ts'
import { swap } from '../currencies/swap.ts'
import { bankDeposits } from '../fiat/bank-deposits.ts'
import { emailChallenge } from '../fiat/email-challenge.ts'
import { offRamp } from '../fiat/off-ramp.ts'
import type { Route } from '../http/route.ts'
import { x402Complete } from '../incoming/x402/x402-routes.ts'
import type { X402 } from '../incoming/x402/x402.ts'
import { invoices } from '../invoices/invoice-routes.ts'
import type { Engine } from '../orders/engine.ts'
import { orders } from '../orders/routes/orders.ts'
import { paymentMethods } from '../orders/routes/payment-methods.ts'
import { payment } from '../orders/routes/payment.ts'
import { refunds } from '../orders/routes/refunds.ts'
import { type FindTransaction, transactions } from '../orders/routes/transactions.ts'
import { apiKeys } from '../organizations/api-keys.ts'
import { fees } from '../organizations/fees.ts'
import type { Bank } from '../providers/bank.ts'
import type { Identity } from '../providers/identity.ts'
import { cachedSwap } from '../providers/cached-swap.ts'
import { webhooks } from '../webhooks/webhook-routes.ts'

export interface ApiRoutesParts {
  readonly engine: Engine
  readonly x402: X402
  readonly findTransaction: FindTransaction
  readonly findCurrencies: FindCurrencies
  readonly bank?: Bank
  readonly identity?: Identity
  readonly allowLocalWebhooks: boolean
}

export function apiRoutes(route: Route, routeV2: Route, parts: ApiRoutesParts): void {
  const { engine } = parts
  orders(route, engine)
  payment(route, engine)
  paymentMethods(route, routeV2, engine)
  transactions(route, engine, parts.findTransaction)
  refunds(route, engine)
  x402Complete(route, engine, parts.x402)
  webhooks(route, engine, parts.allowLocalWebhooks)
  currencies(route, parts.findCurrencies)
  // Swap quotes that are only shown may come from a cache. Those that decide about money are always requested anew.
  const displayEngine = { ...engine, swap: cachedSwap(engine.swap, () => performance.now()) }
  swap(route, displayEngine)
  quotes(route, displayEngine)
  portfolio(route, engine)
  apiKeys(route, engine)
  invoices(route, engine)
  bankDeposits(route, engine, parts.bank)
  offRamp(route, engine, parts.identity)
  emailChallenge(route, engine)
  fees(route, engine)
}
