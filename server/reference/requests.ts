import type { endpoints } from '../../src/wire/endpoints.ts'

const usdc = { chain_id: 8453, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' }
const wallet = '0x7b21f0a8c4e4bb1d5c0a6a9a26bb6b3f3d3c9e01'
const invoice = {
  from: { name: 'Northwind Coffee', email: 'billing@northwind.example' },
  recipient: { name: 'Ada Lovelace', email: 'ada@shop.example' },
  invoice: { no: '2026-041', date: '2026-05-12', due_date: '2026-06-11' },
  items: [{ name: 'Ethiopia Guji, 1 kg', quantity: '2', unitPrice: '42.50', tax: '19' }],
}

/** Every operation with a body has an example request here. */
export const requests: { readonly [N in keyof typeof endpoints]?: object } = {
  createOrder: {
    mode: 'SALE',
    amount: '42.50',
    fiat_unit: 'usd',
    metadata: { reference: 'NW-20418', items: [{ name: 'Ethiopia Guji, 1 kg', quantity: 1, unit_price: 42.5, currency: 'usd' }] },
    settings: { theme_color: '#0f4c5c', return_url: 'https://shop.example/thanks' },
  },
  requestPayment: { source: { payment_rail: 'CRYPTO', currency: usdc } },
  findTransaction: { tx_hash: `0x${'4b1f'.repeat(16)}`, chain_id: 8453 },
  orderQuotes: { filter: { wallet: { address: wallet, chain_type: 'EVM', chain_ids: [8453] }, min_balance_usd: 1 } },
  refundOrder: { amount: '10', recipient: wallet, metadata: { reason: 'One bag was missing' } },
  completeX402: { preferred_chain_id: 8453 },
  walletTransaction: { chain_id: 30_000_000_000_001, token_address: null, payer: '7YqPbGmiZqbnYuyW6wvxtFBzvuFRLVcZwKxDP5LbrtG9' },
  walletCost: { chain_id: 30_000_000_000_001, token_address: null, payer: '7YqPbGmiZqbnYuyW6wvxtFBzvuFRLVcZwKxDP5LbrtG9' },
  putSettlements: {
    settlements: [
      { ...usdc, recipient: wallet },
      { chain_id: 1, address: null, recipient: wallet },
    ],
  },
  signGuardMove: { signature: `0x${'5c'.repeat(64)}1b` },
  createWebhook: { url: 'https://shop.example/till', events: ['ORDER_COMPLETED', 'ORDER_REFUNDED'] },
  changeWebhook: { active: false },
  createInvoice: invoice,
  createInvoiceDraft: { ...invoice, fiat_unit: 'eur', locale: 'de' },
  swapQuote: {
    source: { chain_id: 8453, address: null },
    destination: usdc,
    amount: '0.01',
    trade_type: 'EXACT_INPUT',
  },
  portfolio: { wallets: [{ address: wallet, chain_type: 'EVM', chain_ids: [1, 8453] }], filter: { min_balance_usd: 1 } },
  createVerification: { email: 'ada@shop.example', type: 'individual' },
  createEmailChallenge: { email: 'ada@shop.example' },
  checkEmailChallenge: { challenge_id: 'chl_1', code: '12345678' },
  changeApiKey: { label: 'Production' },
}
