import type { TransactionRead } from '../../../src/wire/order-read.ts'
import type { ServedOrder } from '../../../server/pages/order-source.ts'
import { awaitingIn, bitcoin, pending, units } from './orders.ts'

/** Orders that are paid in bitcoin on a local node, whose chain has the id of the main one and addresses of its own. */

export const address = 'bcrt1q50nscr5nxw5et2aplyxvv4yzrtfjqfdxxeu62t'
const hash = '5d2a0cddc929be03a6512c4f98e7d05ba36e1f4728c90ad5b13f6e82c7740d9a'
export const replacement = '639142903d5c57fc6e582fe5b13f6e82c7740d9a1be9f2c41d87be03a6512c4f'
const required = '0.00045698'

type Payment = NonNullable<ServedOrder['payment']>

const inBitcoin = (ui: string) => units(ui, 8)

export const bitcoinTransfer = (ui: string, more: Partial<TransactionRead> = {}): TransactionRead => ({
  amount: inBitcoin(ui),
  tx_hash: hash,
  chain_id: bitcoin.chain_id,
  currency: bitcoin,
  state: 'seen',
  confirmations: 0,
  required_confirmations: 2,
  reason: undefined,
  explorer_url: undefined,
  seen_at: '2026-05-12T14:02:11Z',
  ...more,
})

export const replaced = (ui: string, by: string) => ({ ...bitcoinTransfer(ui), replaced_by: by })

function order(status: string, transactions: TransactionRead[], received: string, more: Partial<Payment> = {}): ServedOrder {
  const { payment, ...rest } = awaitingIn(bitcoin, address, required)
  const left = Math.max(0, Number(required) - Number(received)).toFixed(8)
  const funding = {
    required_amount: inBitcoin(required),
    received_amount: inBitcoin(received),
    remaining_amount: inBitcoin(left),
    transactions,
  }
  return {
    ...rest,
    status,
    updated_at: '2026-05-12T14:05:00.000Z',
    payment: {
      ...payment!,
      estimated_duration_seconds: 1200,
      input: { ...payment!.input!, breakdown: { gas: { raw: '1470' } } },
      funding,
      ...more,
    },
  }
}

export const awaiting = () => order('AWAITING_PAYMENT', [], '0')
export const seen = (more: Partial<TransactionRead> = {}) => order('AWAITING_CONFIRMATION', [bitcoinTransfer(required, more)], '0')
/** The payer's wallet has raised the fee, and the new transaction pays as the old one did. */
export const seenAgain = () =>
  order('AWAITING_CONFIRMATION', [bitcoinTransfer(required, { tx_hash: replacement })], '0', {
    replaced: [replaced(required, replacement)],
  })
/** The payer has taken the coins back by a double spend. */
export const takenBack = () => order('AWAITING_PAYMENT', [], '0', { replaced: [replaced(required, replacement)] })

export const recordedBitcoin: Readonly<Record<string, () => ServedOrder>> = {
  '21-bitcoin-choose': () =>
    pending({
      fulfillment: { ...pending().fulfillment, amount: inBitcoin(required), asset: bitcoin, rate_usd: undefined, recipient: address },
    }),
  '21b-bitcoin-pay': awaiting,
  '21c-bitcoin-partial': () => order('PARTIAL_PAYMENT', [bitcoinTransfer('0.0002', { state: 'confirmed', confirmations: 2 })], '0.0002'),
  '21d-bitcoin-seen': () => seen(),
  '21e-bitcoin-slow': () => seen({ seen_at: '2026-05-12T13:30:00Z' }),
  '21f-bitcoin-raised': seenAgain,
  '21g-bitcoin-replaced': takenBack,
  '21h-bitcoin-late': () => ({ ...seen({ seen_at: '2026-05-12T14:38:00Z' }), updated_at: '2026-05-12T14:38:30.000Z' }),
  '21i-bitcoin-completed': () => order('COMPLETED', [bitcoinTransfer(required, { state: 'applied', confirmations: 2 })], required),
  '21j-bitcoin-expired': () => order('EXPIRED', [], '0', { replaced: [replaced(required, replacement)] }),
}
