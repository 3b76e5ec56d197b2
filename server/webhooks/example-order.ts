import type { Order } from '../../src/wire/order.ts'
import type { Organization } from '../organizations/organizations.ts'

const usdc = {
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  chain_id: 8453,
  decimals: 6,
  id: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913-8453',
  name: 'USD Coin',
  price_usd: 1,
  symbol: 'USDC',
} as const
const amount = { raw: '42500000', ui: '42.5', value_usd: 42.5 }
const deposit = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const hash = `0x${'e5'.repeat(32)}`

/** A paid order that nobody made, with which a merchant tests an endpoint. Nothing in it can be paid or found. */
export function exampleOrder({ id: organizationId, name, isLive }: Organization, id: string, payUrl: string, now: number): Order {
  const at = new Date(now).toISOString()
  const recipient = '0x7b21f0a8c4e4bb1d5c0a6a9a26bb6b3f3d3c9e01'
  return {
    id,
    organization_id: organizationId,
    organization_name: name,
    mode: 'SALE',
    created_by: 'signature',
    status: 'COMPLETED',
    is_live: isLive,
    hosted_url: `${payUrl}/pay/${id}`,
    created_at: new Date(now - 60_000).toISOString(),
    updated_at: at,
    price: { amount: '42.50', unit: 'usd' },
    fulfillment: {
      amount,
      asset: usdc,
      custom_fee_bps: 0,
      fiat_unit: 'usd',
      rate_usd: '1',
      fiat_unit_usd: '1',
      recipient,
      swap: { slippage_bps: 100, trade_type: 'EXACT_OUTPUT' },
    },
    metadata: { reference: 'EXAMPLE-1', items: [{ name: 'Example', quantity: 1, unit_price: 42.5, currency: 'usd' }] },
    payment: {
      payment_rail: 'CRYPTO',
      recipient,
      source_tx_hash: hash,
      destination_tx_hash: hash,
      estimated_duration_seconds: 10,
      funding: {
        required_amount: amount,
        received_amount: amount,
        remaining_amount: { raw: '0', ui: '0', value_usd: 0 },
        transactions: [
          {
            amount,
            tx_hash: hash,
            chain_id: 8453,
            currency: usdc,
            state: 'applied',
            confirmations: 1,
            required_confirmations: 1,
            seen_at: at,
          },
        ],
        transactions_total: 1,
      },
      steps: [{ rail: 'CRYPTO', kind: 'deposit', action: 'send', data: { deposit_address: deposit, currency: usdc, amount: amount.raw } }],
    },
    settings: { card_payments: false, hide_footer: false },
    test: true,
  }
}
