import type { Name, Sent } from './client.ts'

/** One valid request for each operation, with ids that exist. */
export type Examples = Record<Name, Sent>

/**
 * The statuses of valid requests that differ from the operation's success: nothing was paid, the invoice is a draft, or no provider is
 * configured.
 */
export const statusOfExample: Partial<Record<Name, number>> = {
  completeX402: 402,
  refundOrder: 422,
  archiveInvoice: 409,
  bankDeposits: 404,
  signGuardMove: 404,
  createVerification: 502,
  walletTransaction: 422,
  walletCost: 422,
  resendDelivery: 404,
}

export interface Known {
  readonly orderId: string
  readonly webhookId: string
  readonly apiKeyId: string
  readonly invoiceId: string
  readonly challengeId: string
  readonly token: string
}

const recipient = '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c'

const invoiceData = {
  from: { email: 'shop@shop.example', name: 'Shop' },
  recipient: { email: 'anna@shop.example', name: 'Anna' },
  invoice: { no: 'A-1', date: '2026-05-01', due_date: '2026-06-01' },
  items: [{ name: 'Beans', quantity: '2', tax: '19', unitPrice: '28.50' }],
  fiat_unit: 'usd',
  locale: 'en',
}

export function examplesWith({ orderId, webhookId, apiKeyId, invoiceId, challengeId, token }: Known): Examples {
  const order = { params: { order_id: orderId } }
  const webhook = { params: { webhook_id: webhookId } }
  const invoice = { params: { invoice_id: invoiceId } }
  const currency = { chain_id: 8453, address: token }
  return {
    createOrder: {
      body: {
        mode: 'SALE',
        amount: '42.50',
        fiat_unit: 'usd',
        currency,
        recipient,
        metadata: {
          reference: 'NW-1',
          items: [
            { name: 'Beans', description: '1 kg', image: 'https://shop.example/a.png', currency: 'usd', quantity: 1, unit_price: 42.5 },
          ],
          refund: { name: 'a', reason: 'b', additional_info: 'c', currency: 'usd', refund_amount: 1 },
        },
        settings: {
          card_payments: false,
          hide_footer: true,
          logo_url: 'https://shop.example/logo.png',
          theme_color: '#0f4c5c',
          return_url: 'https://shop.example/thanks',
          embed_origins: ['https://shop.example'],
        },
      },
    },
    getSettlements: {},
    putSettlements: { body: { settlements: [{ ...currency, recipient }], confirmed: true } },
    listGuardMoves: { query: { limit: '5', offset: '0' } },
    signGuardMove: { params: { digest: `0x${'5d'.repeat(32)}` }, body: { signature: `0x${'5c'.repeat(64)}1b` } },
    listOrders: {
      query: {
        limit: '5',
        offset: '0',
        status: 'PENDING',
        created_by: 'signature',
        created_after: '2026-01-01T00:00:00Z',
        created_before: '2126-01-01T00:00:00Z',
        reference: 'NW-1',
        hash: `0x${'ab'.repeat(32)}`,
        address: recipient,
      },
    },
    getOrder: order,
    requestPayment: { ...order, body: { source: { currency, payment_rail: 'CRYPTO', slippage_bps: 100 }, refund_address: recipient } },
    findTransaction: { ...order, body: { tx_hash: `0x${'ab'.repeat(32)}`, chain_id: 8453 } },
    paymentMethods: order,
    refundOrder: {
      ...order,
      body: { amount: '1', recipient, metadata: { name: 'a', reason: 'b', additional_info: 'c', currency: 'usd', refund_amount: 1 } },
      headers: { 'idempotency-key': 'one' },
    },
    createWebhook: { body: { url: 'https://shop.example/hook', events: ['ORDER_COMPLETED'] } },
    listWebhooks: {},
    getWebhook: webhook,
    changeWebhook: { ...webhook, body: { url: 'https://shop.example/other', events: ['ORDER_ERROR'], active: true } },
    rotateWebhook: webhook,
    listDeliveries: { ...webhook, query: { limit: '5', offset: '0', state: 'waiting', order_id: orderId } },
    resendDelivery: { params: { webhook_id: webhookId, delivery_id: 'a-delivery' } },
    testWebhook: webhook,
    listEvents: { query: { limit: '5', order_id: orderId, event: 'ORDER_CREATED', include_unsigned: 'false' } },
    deleteWebhook: webhook,
    swapQuote: {
      body: {
        source: currency,
        destination: { chain_id: 8453, address: null },
        amount: '10',
        trade_type: 'EXACT_INPUT',
        sender: recipient,
        recipient,
        slippage_bps: 50,
      },
    },
    orderQuotes: {
      ...order,
      body: {
        filter: {
          wallet: { address: recipient, chain_type: 'EVM', chain_ids: [8453] },
          sources: [currency],
          min_balance_usd: 0,
          limit: 5,
        },
      },
    },
    portfolio: {
      body: {
        wallets: [{ address: recipient, chain_type: 'EVM', chain_ids: [8453, 1] }],
        filter: { min_balance_usd: 1, limit: 5 },
      },
    },
    completeX402: { ...order, body: { preferred_chain_type: 'EVM', preferred_chain_id: 8453, preferred_token_address: token } },
    walletTransaction: {
      ...order,
      body: { chain_id: 30_000_000_000_001, token_address: null, payer: '7YqPbGmiZqbnYuyW6wvxtFBzvuFRLVcZwKxDP5LbrtG9' },
    },
    walletCost: {
      ...order,
      body: { chain_id: 30_000_000_000_001, token_address: null, payer: '7YqPbGmiZqbnYuyW6wvxtFBzvuFRLVcZwKxDP5LbrtG9' },
    },
    createInvoice: { body: invoiceData },
    createInvoiceDraft: { body: invoiceData },
    listInvoices: { query: { limit: '5', offset: '0', search: 'Beans' } },
    getInvoice: invoice,
    archiveInvoice: invoice,
    deleteInvoice: invoice,
    bankDeposits: { params: { account_id: 'bank_1' }, query: { limit: '5', offset: '0' } },
    createVerification: {
      body: {
        email: 'anna@shop.example',
        type: 'individual',
        full_name: 'Anna',
        endorsements: ['base', 'sepa'],
        redirect_uri: 'https://shop.example/done',
      },
    },
    createEmailChallenge: { body: { email: 'anna@shop.example' } },
    checkEmailChallenge: { body: { challenge_id: challengeId, code: '12345678' } },
    feeBalance: {},
    searchCurrencies: { query: { q: 'usd', chain_ids: '1,8453', limit: '10' } },
    listApiKeys: {},
    changeApiKey: { params: { api_key_id: apiKeyId }, body: { label: 'Till' } },
  }
}
