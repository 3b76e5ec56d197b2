/** Written from the table of endpoints by test/reference/client.test.ts (TILL_CLIENT=write). Do not edit. */

import type { Method } from '../call-api.ts'
import type { Api } from './api.ts'

/** A method takes the ids of its path, then its body or query, then options. The signature of some covers the body. */
export type Operation = readonly [method: Method, path: string, input: 'body' | 'query' | 'none', signsBody?: boolean]

export const operations: { readonly [N in keyof Api]: Operation } = {
  createOrder: ['POST', '/orders', 'body'],
  listOrders: ['GET', '/orders', 'query'],
  getOrder: ['GET', '/orders/:order_id', 'none'],
  requestPayment: ['POST', '/orders/:order_id/payment', 'body'],
  findTransaction: ['POST', '/orders/:order_id/transactions', 'body'],
  orderQuotes: ['POST', '/orders/:order_id/quotes', 'body'],
  paymentMethods: ['GET', '/orders/:order_id/payment-methods', 'none'],
  refundOrder: ['POST', '/orders/:order_id/refund', 'body', true],
  completeX402: ['POST', '/orders/:order_id/x402/complete', 'body'],
  walletTransaction: ['POST', '/orders/:order_id/solana/transaction', 'body'],
  walletCost: ['POST', '/orders/:order_id/solana/cost', 'body'],
  createInvoice: ['POST', '/invoices', 'body'],
  createInvoiceDraft: ['POST', '/invoices/drafts', 'body'],
  listInvoices: ['GET', '/invoices', 'query'],
  getInvoice: ['GET', '/invoices/:invoice_id', 'none'],
  archiveInvoice: ['POST', '/invoices/:invoice_id/archive', 'none'],
  deleteInvoice: ['DELETE', '/invoices/:invoice_id', 'none'],
  swapQuote: ['POST', '/swap/quote', 'body'],
  searchCurrencies: ['GET', '/search/currencies', 'query'],
  portfolio: ['POST', '/wallet/portfolio', 'body'],
  bankDeposits: ['GET', '/onramp/bank/accounts/:account_id/deposits', 'query'],
  createVerification: ['POST', '/off-ramp/verification', 'body'],
  createEmailChallenge: ['POST', '/off-ramp/verification/email-challenge', 'body', true],
  checkEmailChallenge: ['POST', '/off-ramp/verification/email-challenge/check', 'body', true],
  createWebhook: ['POST', '/webhooks', 'body'],
  listWebhooks: ['GET', '/webhooks', 'none'],
  getWebhook: ['GET', '/webhooks/:webhook_id', 'none'],
  changeWebhook: ['PATCH', '/webhooks/:webhook_id', 'body'],
  deleteWebhook: ['DELETE', '/webhooks/:webhook_id', 'none'],
  rotateWebhook: ['POST', '/webhooks/:webhook_id/rotate', 'none'],
  listDeliveries: ['GET', '/webhooks/:webhook_id/deliveries', 'query'],
  resendDelivery: ['POST', '/webhooks/:webhook_id/deliveries/:delivery_id/resend', 'none'],
  testWebhook: ['POST', '/webhooks/:webhook_id/test', 'none'],
  listEvents: ['GET', '/events', 'query'],
  getSettlements: ['GET', '/organization/settlements', 'none'],
  putSettlements: ['PUT', '/organization/settlements', 'body', true],
  listGuardMoves: ['GET', '/organization/guard-moves', 'query'],
  signGuardMove: ['PUT', '/organization/guard-moves/:digest/signature', 'body'],
  listApiKeys: ['GET', '/api-keys', 'none'],
  changeApiKey: ['PATCH', '/api-keys/:api_key_id', 'body'],
  feeBalance: ['GET', '/fees/balance', 'none'],
}
