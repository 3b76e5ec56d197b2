import * as z from 'zod/mini'
import { ApiKey, ApiKeyChange, ApiKeyList, ApiKeyPath } from './api-key.ts'
import { BankAccountPath, BankOnrampDepositList } from './bank.ts'
import { CurrencySearchAnswer, CurrencySearchQuery } from './currency.ts'
import { FeeBalance } from './amount.ts'
import { Invoice, InvoiceCreate, InvoiceDraft, InvoiceList, InvoiceListQuery, InvoicePath } from './invoice.ts'
import {
  EmailChallenge,
  EmailChallengeCheck,
  EmailChallengeCheckRequest,
  EmailChallengeRequest,
  OffRampVerification,
  OffRampVerificationRequest,
} from './off-ramp.ts'
import {
  FindTransactionAnswer,
  FindTransactionRequest,
  Order,
  OrderCreate,
  OrderList,
  OrderListQuery,
  OrderPath,
  OrderQuotesAnswer,
  OrderQuotesRequest,
  PaymentAnswer,
  PaymentRequest,
  RefundRequest,
} from './order.ts'
import { PageQuery } from './pagination.ts'
import { PaymentMethodList } from './payment-methods.ts'
import { Portfolio, PortfolioRequest } from './portfolio.ts'
import { SwapQuoteRequest, SwapQuoteResponse } from './quote.ts'
import { Id } from './scalars.ts'
import { Webhook, WebhookChange, WebhookCreate, WebhookList, WebhookPath, WebhookWithSecret } from './webhook.ts'
import { X402CompleteRequest } from './x402.ts'

/**
 * KEY needs only the API key, in X-API-KEY or Authorization. SIGNED also needs an HMAC of method, path and timestamp, made with the key's
 * secret; for BODY-SIGNED it covers the body's digest too. KEY-OR-SIGNED accepts the key alone, but some requests need the signature.
 */
export type Auth = 'KEY' | 'KEY-OR-SIGNED' | 'SIGNED' | 'BODY-SIGNED' | 'PUBLIC'

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path follows {base_url}. Segments like `:name` are path parameters. */
  readonly path: string
  readonly auth: Auth
  readonly summary: string
  readonly params?: z.ZodMiniType
  readonly query?: z.ZodMiniType
  readonly body?: z.ZodMiniType
  /** A request may omit its body. */
  readonly bodyOptional?: boolean
  readonly status: number
  /** A success may also have this status, with the same kind of answer. */
  readonly alternativeStatus?: number
  readonly answer?: z.ZodMiniType
  /** Clients may send an Idempotency-Key ('optional') or have to ('required'). */
  readonly idempotency?: 'optional' | 'required'
  /** The handler calls chains or providers, so it runs outside a transaction and has a stricter rate limit. */
  readonly callsExternal?: true
  /** It creates or changes one order, which is atomic, so it needs no transaction unless an Idempotency-Key stores the answer too. */
  readonly writesOneOrder?: true
  /** These are the endpoint's own error statuses. Those of authentication, limits and validation follow from the other members. */
  readonly errors?: readonly number[]
}

const endpoint = <const E extends Endpoint>(e: E) => e
const PayOrderPath = z.object({ payorder_id: Id })

/** Routing, validation, the API description and the tests all read this table, so that they cannot disagree. */
export const endpoints = {
  createOrder: endpoint({
    method: 'POST',
    path: '/orders',
    auth: 'KEY-OR-SIGNED',
    summary: 'Create an order (SALE is signed, DEPOSIT takes the key)',
    body: OrderCreate,
    status: 201,
    answer: Order,
    idempotency: 'optional',
    writesOneOrder: true,
    errors: [403, 409, 422, 503],
  }),
  listOrders: endpoint({
    method: 'GET',
    path: '/orders',
    auth: 'SIGNED',
    summary: 'List orders, newest first',
    query: OrderListQuery,
    status: 200,
    answer: OrderList,
  }),
  getOrder: endpoint({
    method: 'GET',
    path: '/orders/:order_id',
    auth: 'KEY',
    summary: 'One order',
    params: OrderPath,
    status: 200,
    answer: Order,
  }),
  requestPayment: endpoint({
    method: 'POST',
    path: '/orders/:order_id/payment',
    auth: 'KEY',
    summary: 'Choose what to pay with and get instructions',
    params: OrderPath,
    body: PaymentRequest,
    status: 200,
    answer: PaymentAnswer,
    idempotency: 'optional',
    writesOneOrder: true,
    errors: [403, 409, 422, 502, 503],
  }),
  findTransaction: endpoint({
    method: 'POST',
    path: '/orders/:order_id/transactions',
    auth: 'KEY',
    summary: 'Look a transaction up on its chain',
    params: OrderPath,
    body: FindTransactionRequest,
    status: 200,
    answer: FindTransactionAnswer,
    callsExternal: true,
    errors: [422, 502],
  }),
  orderQuotes: endpoint({
    method: 'POST',
    path: '/orders/:order_id/quotes',
    auth: 'KEY',
    summary: 'What a wallet could pay this order with',
    params: OrderPath,
    body: OrderQuotesRequest,
    status: 200,
    answer: OrderQuotesAnswer,
    callsExternal: true,
    errors: [422, 502, 503],
  }),
  paymentMethods: endpoint({
    method: 'GET',
    path: '/orders/:order_id/payment-methods',
    auth: 'KEY',
    summary: 'Payment methods available for an order',
    params: OrderPath,
    status: 200,
    answer: PaymentMethodList,
    errors: [422],
  }),
  refundOrder: endpoint({
    method: 'POST',
    path: '/orders/:order_id/refund',
    auth: 'SIGNED',
    summary: 'Refund an order in whole or in part',
    params: OrderPath,
    body: RefundRequest,
    status: 201,
    answer: Order,
    idempotency: 'required',
    errors: [409, 422],
  }),
  completeX402: endpoint({
    method: 'POST',
    path: '/orders/:order_id/x402/complete',
    auth: 'PUBLIC',
    summary: 'Complete an order payment through x402',
    params: OrderPath,
    body: X402CompleteRequest,
    bodyOptional: true,
    status: 200,
    alternativeStatus: 202,
    answer: z.object({ order: Order }),
    callsExternal: true,
    errors: [402, 409, 502, 503],
  }),
  createWebhook: endpoint({
    method: 'POST',
    path: '/webhooks',
    auth: 'SIGNED',
    summary: 'Register a webhook',
    body: WebhookCreate,
    status: 201,
    answer: WebhookWithSecret,
    idempotency: 'optional',
    errors: [409, 422],
  }),
  listWebhooks: endpoint({ method: 'GET', path: '/webhooks', auth: 'SIGNED', summary: 'List webhooks', status: 200, answer: WebhookList }),
  getWebhook: endpoint({
    method: 'GET',
    path: '/webhooks/:webhook_id',
    auth: 'SIGNED',
    summary: 'One webhook',
    params: WebhookPath,
    status: 200,
    answer: Webhook,
  }),
  changeWebhook: endpoint({
    method: 'PATCH',
    path: '/webhooks/:webhook_id',
    auth: 'SIGNED',
    summary: 'Change a webhook',
    params: WebhookPath,
    body: WebhookChange,
    status: 200,
    answer: Webhook,
    errors: [409, 422],
  }),
  deleteWebhook: endpoint({
    method: 'DELETE',
    path: '/webhooks/:webhook_id',
    auth: 'SIGNED',
    summary: 'Remove a webhook',
    params: WebhookPath,
    status: 204,
  }),
  rotateWebhook: endpoint({
    method: 'POST',
    path: '/webhooks/:webhook_id/rotate',
    auth: 'SIGNED',
    summary: 'New secret; both sign for 24 hours',
    params: WebhookPath,
    status: 200,
    answer: WebhookWithSecret,
    idempotency: 'optional',
  }),
  createInvoice: endpoint({
    method: 'POST',
    path: '/invoices',
    auth: 'SIGNED',
    summary: 'Create and publish an invoice, or publish a draft',
    body: InvoiceCreate,
    status: 201,
    answer: Invoice,
    idempotency: 'optional',
    errors: [404, 409, 422, 502, 503],
  }),
  createInvoiceDraft: endpoint({
    method: 'POST',
    path: '/invoices/drafts',
    auth: 'SIGNED',
    summary: 'Create a draft invoice',
    body: InvoiceDraft,
    status: 201,
    answer: Invoice,
    idempotency: 'optional',
    errors: [422],
  }),
  listInvoices: endpoint({
    method: 'GET',
    path: '/invoices',
    auth: 'SIGNED',
    summary: 'List invoices',
    query: InvoiceListQuery,
    status: 200,
    answer: InvoiceList,
  }),
  getInvoice: endpoint({
    method: 'GET',
    path: '/invoices/:invoice_id',
    auth: 'SIGNED',
    summary: 'One invoice',
    params: InvoicePath,
    status: 200,
    answer: Invoice,
  }),
  archiveInvoice: endpoint({
    method: 'POST',
    path: '/invoices/:invoice_id/archive',
    auth: 'SIGNED',
    summary: 'Archive an invoice',
    params: InvoicePath,
    status: 200,
    answer: Invoice,
    errors: [409],
  }),
  deleteInvoice: endpoint({
    method: 'DELETE',
    path: '/invoices/:invoice_id',
    auth: 'SIGNED',
    summary: 'Delete a draft',
    params: InvoicePath,
    status: 204,
    errors: [409],
  }),
  swapQuote: endpoint({
    method: 'POST',
    path: '/swap/quote',
    auth: 'KEY',
    summary: 'Single-pair swap quote',
    body: SwapQuoteRequest,
    status: 200,
    answer: SwapQuoteResponse,
    callsExternal: true,
    errors: [422, 502, 503],
  }),
  searchCurrencies: endpoint({
    method: 'GET',
    path: '/search/currencies',
    auth: 'KEY',
    summary: 'Token search',
    query: CurrencySearchQuery,
    status: 200,
    answer: CurrencySearchAnswer,
  }),
  portfolio: endpoint({
    method: 'POST',
    path: '/wallet/portfolio',
    auth: 'KEY',
    summary: 'Balances of up to ten wallets',
    body: PortfolioRequest,
    status: 200,
    answer: Portfolio,
    callsExternal: true,
    errors: [502],
  }),
  bankDeposits: endpoint({
    method: 'GET',
    path: '/onramp/bank/accounts/:account_id/deposits',
    auth: 'KEY',
    summary: 'Deposit history of a reusable bank account',
    params: BankAccountPath,
    query: PageQuery,
    status: 200,
    answer: BankOnrampDepositList,
    errors: [502],
  }),
  createVerification: endpoint({
    method: 'POST',
    path: '/off-ramp/verification',
    auth: 'SIGNED',
    summary: 'Create a KYC link',
    body: OffRampVerificationRequest,
    status: 200,
    answer: OffRampVerification,
    idempotency: 'optional',
    errors: [502],
  }),
  createEmailChallenge: endpoint({
    method: 'POST',
    path: '/off-ramp/verification/email-challenge',
    auth: 'BODY-SIGNED',
    summary: 'Email challenge (internal credentials only)',
    body: EmailChallengeRequest,
    status: 200,
    answer: EmailChallenge,
    errors: [403],
  }),
  checkEmailChallenge: endpoint({
    method: 'POST',
    path: '/off-ramp/verification/email-challenge/check',
    auth: 'BODY-SIGNED',
    summary: 'Check the code of an email challenge (internal credentials only)',
    body: EmailChallengeCheckRequest,
    status: 200,
    answer: EmailChallengeCheck,
    errors: [403, 404],
  }),
  listApiKeys: endpoint({ method: 'GET', path: '/api-keys', auth: 'SIGNED', summary: 'List API keys', status: 200, answer: ApiKeyList }),
  changeApiKey: endpoint({
    method: 'PATCH',
    path: '/api-keys/:api_key_id',
    auth: 'SIGNED',
    summary: 'Relabel an API key',
    params: ApiKeyPath,
    body: ApiKeyChange,
    status: 200,
    answer: ApiKey,
  }),
  feeBalance: endpoint({
    method: 'GET',
    path: '/fees/balance',
    auth: 'SIGNED',
    summary: 'The claimable fee balance',
    status: 200,
    answer: FeeBalance,
  }),
} as const

/** The specification publishes this endpoint under /v2 at the origin, with an older name for its parameter. */
export const paymentMethodsV2 = endpoint({
  method: 'GET',
  path: '/pay-orders/:payorder_id/payment-methods',
  auth: 'KEY',
  summary: 'Payment methods available for an order',
  params: PayOrderPath,
  status: 200,
  answer: PaymentMethodList,
  errors: [422],
})
