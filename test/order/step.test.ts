import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { confirmingOf } from '../../src/order/confirming.ts'
import { dueOf } from '../../src/order/due.ts'
import { failureOf } from '../../src/order/ending.ts'
import { fundingOf } from '../../src/order/funding.ts'
import { headlineOf } from '../../src/order/headline.ts'
import { stepOf } from '../../src/order/step.ts'
import { noChoice, type Choice } from '../../src/wire/choice.ts'
import { orderStatuses } from '../../src/wire/order.ts'
import { OrderRead, type TransactionRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

const at = (order: OrderRead, choice: Choice = noChoice, now = orders.recordedNow) => stepOf(order, choice, now).at

test('default: each recorded state has its step', () => {
  const steps = Object.fromEntries(Object.entries(orders.recorded).map(([name, make]) => [name, at(make())]))
  expect(steps).toEqual({
    '01-choose': 'choose',
    '04-address': 'pay',
    '04b-timer': 'pay',
    '04-partly-seen': 'pay',
    '04-native': 'pay',
    '04-bitcoin': 'pay',
    '04-solana': 'pay',
    '04-sui': 'pay',
    '05-partial': 'pay',
    '06-confirming': 'confirming',
    '06-executing': 'confirming',
    '07-completed': 'done',
    '07b-overpaid': 'done',
    '07c-overpaid-back': 'done',
    '08-expired': 'expired',
    '08b-late': 'confirming',
    '08c-expired-money': 'expired',
    '08d-expired-stray': 'expired',
    '09-refunded': 'refunded',
    '09b-held': 'failed',
    '09c-failed': 'failed',
    '09d-held-proposed': 'failed',
    '14-test-mode': 'choose',
    '15-stranger': 'choose',
    '15b-stranger-address': 'pay',
    '15c-stranger-completed': 'done',
    '17-wrong-chain': 'pay',
    '18-wrong-token': 'pay',
    '19-unknown': 'unknown',
    '20-bare': 'choose',
  })
})

test('behavior: the amount due excludes money seen but not confirmed, so that nobody pays twice', () => {
  expect(fundingOf(orders.partlySeen())).toMatchObject({ required: 42_500_000n, received: 0n, seen: 20_000_000n, due: 22_500_000n })
  expect(fundingOf(orders.partial())?.due).toBe(22_500_000n)
  expect(fundingOf(orders.overpaid())?.due).toBe(0n)
})

test('behavior: money of another chain or token does not reduce the amount due', () => {
  expect(fundingOf(orders.wrongChain())?.due).toBe(42_500_000n)
  expect(fundingOf(orders.wrongToken())?.due).toBe(42_500_000n)
})

test('behavior: while the payer chooses, what is due is in the order’s own token, whatever was asked for before, until a part has arrived', () => {
  const inEther = orders.recorded['04-native']!()
  expect(dueOf(inEther, false)?.funds.currency.symbol).toBe('ETH')
  expect(dueOf(inEther, true)).toMatchObject({ label: 'amountDue', funds: { raw: 42_500_000n, currency: orders.usdc } })
  // With fees that the payer bears, the order asks for more than the merchant gets.
  const settlements = [{ currency: orders.usdc, amount: orders.units('42.93') }]
  expect(dueOf({ ...inEther, settlements } as OrderRead, true)?.funds.raw).toBe(42_930_000n)
  expect(dueOf(orders.partial(), true)).toEqual(dueOf(orders.partial(), false))
})

test('behavior: an order whose whole amount is seen is confirming, whatever its status says', () => {
  const order = { ...orders.confirming(), status: 'AWAITING_PAYMENT' }
  expect(at(order)).toBe('confirming')
  expect(at(order, { pick: true, method: 'choose' })).toBe('confirming')
})

test('behavior: lateness is derived from the times, not from the status', () => {
  expect(at(orders.late())).toBe('confirming')
  expect(confirmingOf(orders.late()).late).toBe(true)
  expect(confirmingOf(orders.confirming()).late).toBe(false)
})

test('behavior: once money has arrived, the URL cannot select anything else', () => {
  for (const choice of [
    { pick: true },
    { pick: false, method: 'choose' },
    { pick: false, method: 'x402' },
    { pick: false, currency: '1-native' },
  ]) {
    expect(at(orders.partial(), choice)).toBe('pay')
    expect(at(orders.awaiting(), choice)).not.toBe('pay')
  }
})

test('behavior: a link to missing instructions goes back to the choice instead of guessing', () => {
  expect(at(orders.awaiting(), { pick: false, method: 'address', currency: '1-native' })).toBe('pick')
  expect(at(orders.pending(), { pick: false, method: 'address', currency: '1-native' })).toBe('choose')
})

test('property: total over whatever a service may answer, and a due amount is never negative', () => {
  const raw = fc.bigInt({ min: 0n, max: 10n ** 24n }).map((value) => ({ raw: String(value), ui: '1', value_usd: 1 }))
  const currency = fc.record(
    {
      chain_id: fc.constantFrom(1, 8453, 20000000000001, 77),
      address: fc.constantFrom(null, orders.usdc.address, 'x'),
      decimals: fc.constantFrom(0, 6, 18),
      symbol: fc.string(),
    },
    { requiredKeys: ['chain_id', 'decimals', 'symbol'] },
  )
  const transaction = fc.record(
    {
      amount: raw,
      tx_hash: fc.string(),
      currency,
      state: fc.constantFrom('seen', 'confirmed', 'applied', 'held', 'refunded', 'new'),
      seen_at: fc.constantFrom('2026-05-12T14:38:00Z', 'soon'),
    },
    { requiredKeys: ['amount', 'tx_hash'] },
  )
  const payment = fc.record(
    {
      expires_at: fc.constantFrom('2026-05-12T14:32:00Z', 'never', ''),
      funding: fc.record(
        { required_amount: raw, received_amount: raw, remaining_amount: raw, transactions: fc.array(transaction, { maxLength: 4 }) },
        { requiredKeys: [] },
      ),
      input: fc.record({ amount: raw, currency }),
      steps: fc.array(
        fc.record({
          kind: fc.constantFrom('deposit', 'transaction', 'teleport'),
          data: fc.record({ deposit_address: fc.string(), currency, amount: fc.string() }, { requiredKeys: [] }),
        }),
        { maxLength: 2 },
      ),
      refund: fc.record({ address: fc.string(), tx_hash: fc.string() }, { requiredKeys: [] }),
      surplus: raw,
    },
    { requiredKeys: [] },
  )
  const order = fc.record(
    {
      id: fc.string(),
      status: fc.oneof(fc.constantFrom(...orderStatuses), fc.string()),
      payment: fc.option(payment),
      fulfillment: fc.record({ amount: raw, asset: currency }, { requiredKeys: [] }),
    },
    { requiredKeys: ['id', 'status'] },
  )
  const choice = fc.record({
    method: fc.constantFrom(undefined, 'choose', 'address', 'x402'),
    pick: fc.boolean(),
    currency: fc.constantFrom(undefined, '8453-native'),
  })
  fc.assert(
    fc.property(order, choice, fc.nat(), (value, chosen, now) => {
      const read = OrderRead.parse(JSON.parse(JSON.stringify(value)))
      const step = stepOf(read, chosen, now)
      expect(['choose', 'pick', 'pay', 'method', 'confirming', 'done', 'expired', 'refunded', 'failed', 'unknown']).toContain(step.at)
      if (step.at === 'pay') expect(step.funding.due >= 0n).toBe(true)
      if (step.at === 'pay' && step.funding.seen > 0n) expect(step.funding.due > 0n).toBe(true)
      const failure = failureOf(read)
      if (failure.at === 'held') expect(failure.amount.raw > 0n).toBe(true)
      if (step.at === 'failed') expect(['amountDue', 'received']).not.toContain(headlineOf(read, step)?.label)
      const again = stepOf(read, chosen, now)
      expect(again.at).toBe(step.at)
    }),
  )
})

test('behavior: nothing arrived for a failed payment only if no transfer is listed, and what is held may be in another currency', () => {
  const failed = (transactions: readonly TransactionRead[] | undefined) => {
    const order = orders.failedEmpty()
    const funding = { ...order.payment!.funding!, transactions }
    return failureOf({ ...order, payment: { ...order.payment!, funding } } as OrderRead)
  }
  const held = orders.transfer('42.50', { state: 'held' })
  const stray = orders.transfer('7.00', { state: 'held', currency: orders.usdt, chain_id: 1 })
  const back = orders.transfer('42.50', { state: 'refunded' })
  expect(failed([])).toEqual({ at: 'nothing' })
  expect(failed(undefined)).toEqual({ at: 'unknown' })
  expect(failed([held])).toMatchObject({ at: 'held', amount: { raw: 42_500_000n, currency: orders.usdc } })
  expect(failed([stray])).toMatchObject({ at: 'held', amount: { raw: 7_000_000n, currency: orders.usdt } })
  expect(failed([back])).toEqual({ at: 'unknown' })
  expect(failed([back, stray])).toMatchObject({ at: 'held', amount: { raw: 7_000_000n } })
})

test('behavior: only a refund in the paid currency that has not failed is the payment on its way back', () => {
  expect(failedWith({})).toMatchObject({ at: 'back', amount: { raw: 42_500_000n } })
  expect(failedWith({ currency: orders.usdc })).toMatchObject({ at: 'back', amount: { raw: 42_500_000n } })
  expect(failedWith({ currency: orders.usdt })).toMatchObject({ at: 'held', amount: { raw: 42_500_000n } })
  expect(failedWith({ state: 'failed' })).toMatchObject({ at: 'held', amount: { raw: 42_500_000n } })
})

function failedWith(refund: object, remaining = '0.00') {
  const order = orders.held()
  const refunds = [{ amount: orders.units('42.50'), tx_hash: orders.hash, state: 'pending', ...refund }]
  const funding = { ...order.payment!.funding!, remaining_amount: orders.units(remaining) }
  return failureOf({ ...order, payment: { ...order.payment!, refunds, funding } } as OrderRead)
}

test('behavior: after a refund of a part the rest of a failed payment is held, and the gas that a refund did not need is not', () => {
  const part = { amount: orders.units('30.00') }
  const rest = { at: 'held', amount: { raw: 12_500_000n }, back: { raw: 30_000_000n } }
  expect(failedWith(part, '30.00')).toMatchObject(rest)
  expect(failedWith(part)).toMatchObject(rest)
  expect(failedWith({}, '42.49')).toMatchObject({ at: 'back', amount: { raw: 42_500_000n } })
  expect(failedWith({ amount: orders.units('40.00'), currency: orders.usdc })).toMatchObject({
    at: 'held',
    amount: { raw: 2_500_000n },
    back: { raw: 40_000_000n },
  })
})

test('behavior: what went back is due again', () => {
  const order = orders.partial()
  const payment = { ...order.payment!, refunds: [{ amount: orders.units('10.00'), tx_hash: orders.hash, state: 'pending' }] }
  const refunded = {
    ...order,
    payment: { ...payment, funding: { ...payment.funding!, remaining_amount: orders.units('32.50') } },
  } as OrderRead
  expect(fundingOf(refunded)).toMatchObject({ required: 42_500_000n, received: 10_000_000n, due: 32_500_000n })
  expect(stepOf(refunded, noChoice, orders.recordedNow)).toMatchObject({ at: 'pay', funding: { due: 32_500_000n } })
})

test('behavior: once a card is charged nothing else is offered, also after the time has run out, until money comes', () => {
  const charged = (order: OrderRead, status = 'fulfillment_processing', transactions: readonly TransactionRead[] = []) => {
    const steps = [{ rail: 'FIAT', kind: 'stripe_onramp', action: 'open', data: { hosted_url: 'https://cards.test/1', status } }]
    const funding = { ...order.payment?.funding, transactions }
    return OrderRead.parse(JSON.parse(JSON.stringify({ ...order, payment: { ...order.payment, steps, funding } })))
  }
  for (const choice of [noChoice, { pick: true }, { pick: false, method: 'choose' }, { pick: false, method: 'address' }])
    expect(stepOf(charged(orders.awaiting()), choice, orders.recordedNow)).toEqual({ at: 'method', slug: 'card' })
  const late = charged(orders.expired())
  const step = stepOf(late, noChoice, orders.recordedNow)
  expect(step).toEqual({ at: 'method', slug: 'card' })
  expect(headlineOf(late, step)?.label).toBe('paid')
  expect(at(charged(orders.expired(), 'requires_payment'))).toBe('expired')
  expect(at(charged(orders.expired(), 'fulfillment_complete', [orders.transfer('42.50', { state: 'seen' })]))).toBe('expired')
})

test('behavior: a transfer in another currency is not the payment, whatever its state', () => {
  const stray = orders.transfer('7.00', { state: 'seen', currency: orders.usdt, chain_id: 1, tx_hash: '0xstray', confirmations: 0 })
  const withStray = (order: OrderRead) => {
    const funding = { ...order.payment!.funding!, transactions: [...(order.payment!.funding!.transactions ?? []), stray] }
    return { ...order, payment: { ...order.payment!, funding } } as OrderRead
  }
  expect(stepOf(withStray(orders.expired()), noChoice, orders.recordedNow)).toMatchObject({
    held: true,
    money: { raw: 7_000_000n, currency: orders.usdt },
  })
  const { hash } = orders
  expect(confirmingOf(withStray(orders.confirming()))).toMatchObject({ transfer: { hash }, late: false })
})
