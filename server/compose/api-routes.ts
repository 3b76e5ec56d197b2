import { currencies, type FindCurrencies } from '../currencies/currencies.ts'
import { portfolio } from '../currencies/portfolio.ts'
import { quotes } from '../currencies/quotes.ts'
import { swap } from '../currencies/swap.ts'
import { bankDeposits } from '../fiat/bank-deposits.ts'
import { emailChallenge } from '../fiat/email-challenge.ts'
import { offRamp } from '../fiat/off-ramp.ts'
import type { SpendLookup } from '../http/access.ts'
import type { Route } from '../http/route.ts'
import { walletPayment } from '../incoming/wallet-payment-routes.ts'
import { x402Complete } from '../incoming/x402/x402-routes.ts'
import type { X402 } from '../incoming/x402/x402.ts'
import { invoices } from '../invoices/invoice-routes.ts'
import type { Engine } from '../orders/engine.ts'
import { orders } from '../orders/routes/orders.ts'
import { paymentMethods } from '../orders/routes/payment-methods.ts'
import { payment } from '../orders/routes/payment.ts'
import { refunds } from '../orders/routes/refunds.ts'
import { type FindTransaction, transactions } from '../orders/routes/transactions.ts'
import type { Bank } from '../providers/bank.ts'
import type { Identity } from '../providers/identity.ts'
import { accountRoutes, type AccountRoutesParts } from './account-routes.ts'
import { eventRoutes } from './event-routes.ts'

export interface ApiRoutesParts extends AccountRoutesParts {
  /** Its prices may come from a cache, since they are only shown. */
  readonly displayEngine: Engine
  readonly x402: X402
  readonly findTransaction: FindTransaction
  readonly findCurrencies: FindCurrencies
  readonly bank?: Bank
  readonly identity?: Identity
  readonly spendLookup: SpendLookup
  readonly allowLocalWebhooks: boolean
}

export function apiRoutes(route: Route, routeV2: Route, parts: ApiRoutesParts): void {
  const { engine } = parts
  orders(route, engine)
  payment(route, engine, parts.spendLookup)
  paymentMethods(route, routeV2, engine)
  transactions(route, engine, parts.findTransaction)
  refunds(route, engine)
  x402Complete(route, engine, parts.x402)
  walletPayment(route, engine, parts.x402)
  eventRoutes(route, engine, parts.allowLocalWebhooks)
  currencies(route, engine, parts.findCurrencies, parts.spendLookup)
  swap(route, parts.displayEngine)
  quotes(route, parts.displayEngine)
  portfolio(route, engine)
  accountRoutes(route, parts)
  invoices(route, engine)
  bankDeposits(route, engine, parts.bank)
  offRamp(route, engine, parts.identity)
  emailChallenge(route, engine)
}
