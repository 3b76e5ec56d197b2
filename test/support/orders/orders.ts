import type { ServedOrder } from '../../../server/pages/order-source.ts'
import type { TransactionRead } from '../../../src/wire/order-read.ts'

/** Orders as a service returns them, with one builder per state: 42.50 USDC on Base, two items from one shop. */

export const usdc = {
  id: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913-8453',
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  chain_id: 8453,
  decimals: 6,
  name: 'USD Coin',
  symbol: 'USDC',
  price_usd: 1,
}
export const usdcOnEthereum = { ...usdc, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', chain_id: 1 }
export const usdt = { ...usdc, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', chain_id: 1, name: 'Tether USD', symbol: 'USDT' }
export const ether = {
  id: 'eth',
  address: '0x0000000000000000000000000000000000000000',
  chain_id: 1,
  decimals: 18,
  name: 'Ether',
  symbol: 'ETH',
  price_usd: 2983.4,
}
export const bitcoin = { id: 'btc', address: '', chain_id: 20000000000001, decimals: 8, name: 'Bitcoin', symbol: 'BTC', price_usd: 93_000 }
export const solana = { id: 'sol', address: '', chain_id: 30000000000001, decimals: 9, name: 'Solana', symbol: 'SOL', price_usd: 152 }
export const sui = {
  id: 'sui',
  address: '0x2::sui::SUI',
  chain_id: 30000000000002,
  decimals: 9,
  name: 'Sui',
  symbol: 'SUI',
  price_usd: 1.9,
}

export const depositAddress = '0x4B7c91E2f08D3A65C1e9B2f47a0d8C35E6f1902A'
export const hash = '0x9f2c41d87be03a6512c4f98e7d05ba36e1f4728c90ad5b13f6e82c7740d9a1be'
const secondHash = '0x51c07be29f3d4a6812c4f98e7d05ba36e1f4728c90ad5b13f6e82c7740d9a2cf'

/** The service's time in every recorded order. */
export const recordedNow = Date.parse('2026-05-12T14:06:30Z')

type Payment = NonNullable<ServedOrder['payment']>

export function units(ui: string, decimals = 6) {
  const [whole = '0', fraction = ''] = ui.split('.')
  return { raw: String(BigInt(whole + fraction.padEnd(decimals, '0'))), ui, value_usd: Number(ui) }
}

export const transfer = (ui: string, more: Partial<TransactionRead> = {}): TransactionRead => ({
  amount: units(ui),
  tx_hash: hash,
  chain_id: 8453,
  currency: usdc,
  state: 'confirmed',
  confirmations: 12,
  required_confirmations: 12,
  reason: undefined,
  explorer_url: undefined,
  seen_at: '2026-05-12T14:02:11Z',
  ...more,
})

export const pending = (more: Partial<ServedOrder> = {}): ServedOrder => ({
  id: 'ord_7f3ac21094be4d1f8a65',
  organization_id: 'org_northwind',
  organization_name: 'Northwind Coffee',
  created_by: 'signature',
  status: 'PENDING',
  is_live: true,
  hosted_url: 'https://pay.example/pay/ord_7f3ac21094be4d1f8a65',
  created_at: '2026-05-12T13:58:00Z',
  updated_at: '2026-05-12T13:58:00.000Z',
  price: { amount: '42.50', unit: 'usd' },
  fulfillment: {
    amount: units('42.50'),
    asset: usdc,
    fiat_unit: 'usd',
    rate_usd: undefined,
    recipient: '0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C',
  },
  metadata: {
    reference: 'NW-20418',
    items: [
      { name: 'Ethiopia Guji, whole bean', description: '1 kg', quantity: 1, unit_price: 28.5, currency: 'usd', image: undefined },
      { name: 'Porcelain dripper, size 02', description: undefined, quantity: 1, unit_price: 14, currency: 'usd', image: undefined },
    ],
    refund: undefined,
  },
  payment: undefined,
  settings: {
    hide_footer: false,
    theme_color: '#0f4c5c',
    logo_url: undefined,
    return_url: 'https://northwind.example/thanks',
    support_url: 'mailto:help@northwind.example',
    embed_origins: undefined,
  },
  ...more,
})

const payment = (transactions: TransactionRead[], received: string, more: Partial<Payment> = {}): Payment => ({
  source_tx_hash: undefined,
  estimated_duration_seconds: 24,
  expires_at: '2026-05-12T14:32:00Z',
  funding: {
    required_amount: units('42.50'),
    received_amount: units(received),
    remaining_amount: units(String(Math.max(0, 42.5 - Number(received)))),
    transactions,
  },
  input: { amount: units('42.50'), currency: usdc },
  refund: undefined,
  steps: [
    {
      kind: 'deposit',
      data: { deposit_address: depositAddress, currency: usdc, amount: '42500000' } as NonNullable<Payment['steps']>[number]['data'],
    },
  ],
  surplus: undefined,
  refunds: undefined,
  held_until: undefined,
  ...more,
})

const paid = (status: string, updated: string, of: Payment, more: Partial<ServedOrder> = {}) =>
  pending({ status, updated_at: updated, payment: of, ...more })

export const awaiting = (more: Partial<Payment> = {}, order: Partial<ServedOrder> = {}) =>
  paid('AWAITING_PAYMENT', '2026-05-12T14:02:00.000Z', payment([], '0', more), order)

/** Instructions in another currency, on any of the four families of chains. */
export const awaitingIn = (currency: typeof usdc, address: string, ui: string) =>
  awaiting({
    funding: {
      required_amount: units(ui, currency.decimals),
      received_amount: units('0', currency.decimals),
      remaining_amount: units(ui, currency.decimals),
      transactions: [],
    },
    input: { amount: units(ui, currency.decimals), currency },
    steps: [
      {
        kind: 'deposit',
        data: { deposit_address: address, currency, amount: units(ui, currency.decimals).raw } as NonNullable<
          Payment['steps']
        >[number]['data'],
      },
    ],
  })

export const partial = () =>
  paid(
    'PARTIAL_PAYMENT',
    '2026-05-12T14:04:00.000Z',
    payment([transfer('12.50'), transfer('7.50', { tx_hash: secondHash, seen_at: '2026-05-12T13:59:40Z' })], '20.00'),
  )

/** A part of the amount is seen and not yet confirmed. */
export const partlySeen = () =>
  paid('AWAITING_PAYMENT', '2026-05-12T14:04:00.000Z', payment([transfer('20.00', { state: 'seen', confirmations: 3 })], '0'))

export const confirming = (confirmations = 7) =>
  paid('AWAITING_CONFIRMATION', '2026-05-12T14:05:00.000Z', payment([transfer('42.50', { state: 'seen', confirmations })], '0'))

export const late = () =>
  paid(
    'AWAITING_CONFIRMATION',
    '2026-05-12T14:38:30.000Z',
    payment([transfer('42.50', { state: 'seen', confirmations: 3, seen_at: '2026-05-12T14:38:00Z' })], '0'),
  )

export const executing = () => paid('EXECUTING_ORDER', '2026-05-12T14:06:00.000Z', payment([transfer('42.50')], '42.50'))

const settled = (received: string, more: Partial<Payment> = {}) =>
  paid('COMPLETED', '2026-05-12T14:08:10.000Z', payment([transfer(received, { state: 'applied' })], received, more))

export const completed = () => settled('42.50')
/** The card was charged, and its provider has delivered. */
export const completedByCard = () =>
  settled('42.50', {
    steps: [
      {
        rail: 'FIAT',
        kind: 'stripe_onramp',
        action: 'open',
        data: {
          session_id: 'cs_1',
          hosted_url: 'https://cards.example/1',
          status: 'fulfillment_complete',
          destination_amount: '42.50',
          quote: { source_total_amount: '44.04', source_currency: 'usd' },
        },
      },
    ] as unknown as Payment['steps'],
  })
/** The payer has sent a coin, which was converted. */
export function completedInEther(): ServedOrder {
  const { payment: paidWith, ...order } = settled('42.50')
  const amount = units('0.01718', ether.decimals)
  const funding = { ...paidWith!.funding!, required_amount: amount, received_amount: amount, transactions: [] }
  return { ...order, payment: { ...paidWith!, input: { ...paidWith!.input!, amount, currency: { ...ether, price_usd: 2_500 } }, funding } }
}
export const overpaid = () => settled('50.00', { surplus: units('7.50') })
export const overpaidBack = () =>
  settled('50.00', {
    surplus: units('7.50'),
    refund: { address: '0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C', reason: undefined, tx_hash: undefined },
  })

export const expired = () => paid('EXPIRED', '2026-05-12T14:32:01.000Z', payment([], '0'))
export const expiredWithMoney = () =>
  paid('EXPIRED', '2026-05-12T14:36:00.000Z', payment([transfer('20.00', { seen_at: '2026-05-12T14:35:00Z' })], '20.00'))

export const wrongChain = () =>
  paid(
    'AWAITING_PAYMENT',
    '2026-05-12T14:04:00.000Z',
    payment([transfer('42.50', { chain_id: 1, currency: usdcOnEthereum, state: 'held', reason: 'wrong_chain' })], '0'),
  )
export const wrongToken = () =>
  paid(
    'AWAITING_PAYMENT',
    '2026-05-12T14:04:00.000Z',
    payment([transfer('42.50', { currency: { ...usdt, chain_id: 8453 }, state: 'held', reason: 'wrong_token' })], '0'),
  )
export const expiredStray = () =>
  paid('EXPIRED', '2026-05-12T14:32:01.000Z', payment([transfer('42.50', { chain_id: 1, currency: usdcOnEthereum, state: 'held' })], '0'))

export const refunded = () =>
  paid('REFUNDED', '2026-05-14T09:20:00.000Z', {
    ...payment([transfer('42.50', { state: 'refunded' })], '42.50', {
      refund: { address: '0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C', reason: 'The dripper is out of stock.', tx_hash: secondHash },
      refunds: [{ amount: units('42.50'), address: '0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C', tx_hash: secondHash, state: 'confirmed' }],
    }),
  })
export const held = () =>
  paid(
    'FAILED',
    '2026-05-12T14:12:00.000Z',
    payment([transfer('42.50', { state: 'held' })], '42.50', {
      held_until: '2026-05-14T14:00:00Z',
      refund: { reason: 'settlement_failed', address: undefined, tx_hash: undefined },
    }),
  )
export function heldWithProposal(): ServedOrder {
  const order = held()
  const refund = { ...order.payment?.refund, proposed: [{ address: '0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C' }] }
  return { ...order, payment: order.payment && { ...order.payment, refund: refund as Payment['refund'] } }
}
export const failedEmpty = () => paid('FAILED', '2026-05-12T14:12:00.000Z', payment([], '0'))
export const unknownStatus = () => paid('UNDER_REVIEW', '2026-05-12T14:12:00.000Z', payment([transfer('42.50')], '42.50'))

/** Only the members that every service must send. */
export const bare = (status = 'PENDING'): ServedOrder => ({ id: 'ord_bare', status }) as ServedOrder

/** The same order made with the publishable key alone, without the merchant's name, links and colours. */
export const byStranger = (order: ServedOrder): ServedOrder => ({
  ...order,
  created_by: 'key',
  organization_name: undefined,
  metadata: order.metadata && { ...order.metadata, reference: undefined },
  settings: order.settings && { ...order.settings, return_url: undefined, theme_color: undefined },
})

export const testMode = () => pending({ is_live: false })

/** Serialises the order, which drops undefined members. */
export const onWire = (order: ServedOrder): unknown => JSON.parse(JSON.stringify(order))

export const paymentMethods = [
  { method: 'WALLET', available: false, reason: 'Wallet payments are not available here.' },
  {
    method: 'DEPOSIT_ADDRESS',
    available: true,
    network_fee: { amount: 0.01, unit: 'USD', chain_id: 8453 },
    least_total: { amount: 42.51, unit: 'USD' },
  },
  {
    method: 'CARD',
    available: false,
    reason: 'Not available where you are. Cards work in the EU and the US.',
    problem: 'card_place',
    minimum_amount: { amount: 5, unit: 'USD' },
  },
]

/** Every recorded state, by the name of its screenshot. */
export const recorded: Readonly<Record<string, () => ServedOrder>> = {
  '01-choose': pending,
  '04-address': awaiting,
  '04b-timer': () => awaiting({ expires_at: '2026-05-12T14:10:42Z' }),
  '04-partly-seen': partlySeen,
  '04-native': () => awaitingIn(ether, depositAddress, '0.014231'),
  '04-bitcoin': () => awaitingIn(bitcoin, 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '0.00045698'),
  '04-solana': () => awaitingIn(solana, '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', '0.28'),
  '04-sui': () => awaitingIn(sui, '0x8f2c41d87be03a6512c4f98e7d05ba36e1f4728c90ad5b13f6e82c7740d9a1be', '22.4'),
  '05-partial': partial,
  '06-confirming': () => confirming(),
  '06-executing': executing,
  '07-completed': completed,
  '07b-overpaid': overpaid,
  '07c-overpaid-back': overpaidBack,
  '08-expired': expired,
  '08b-late': late,
  '08c-expired-money': expiredWithMoney,
  '08d-expired-stray': expiredStray,
  '09-refunded': refunded,
  '09b-held': held,
  '09c-failed': failedEmpty,
  '09d-held-proposed': heldWithProposal,
  '14-test-mode': testMode,
  '15-stranger': () => byStranger(pending()),
  '15b-stranger-address': () => byStranger(awaiting()),
  '15c-stranger-completed': () => byStranger(completed()),
  '17-wrong-chain': wrongChain,
  '18-wrong-token': wrongToken,
  '19-unknown': unknownStatus,
  '20-bare': () => bare(),
}
