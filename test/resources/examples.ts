import type { Name, Sent } from '../support/client.ts'

/** One good request for each operation that the service has so far, with ids that exist. */
export type Examples = Partial<Record<Name, Sent>>

export interface Known {
  readonly orderId: string
  readonly webhookId: string
  readonly apiKeyId: string
  readonly token: string
}

const recipient = '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c'

export const examplesWith = ({ orderId, webhookId, apiKeyId, token }: Known): Examples => {
  const order = { params: { order_id: orderId } }
  const webhook = { params: { webhook_id: webhookId } }
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
    listOrders: { query: { limit: '5', offset: '0', status: 'PENDING' } },
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
    searchCurrencies: { query: { q: 'usd', chain_ids: '1,8453', limit: '10' } },
    listApiKeys: {},
    changeApiKey: { params: { api_key_id: apiKeyId }, body: { label: 'Till' } },
  }
}
