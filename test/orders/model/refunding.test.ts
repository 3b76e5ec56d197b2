import { expect, test } from 'vitest'
import { apply } from '../../../server/orders/model/apply.ts'
import { unexplained } from '../../../server/orders/model/balance.ts'
import { atDeposit } from '../../../server/orders/model/funding.ts'
import { moveTo } from '../../../server/orders/model/status.ts'
import type { Fact } from '../../../server/orders/model/facts.ts'
import type { Order } from '../../../server/orders/model/order.ts'
import { checkWhole } from './invariants.ts'
import { awaiting, completed, day, minute, otherPayer, payer, quoteOf, policy, shop, stateOf, story, t0, usdc, usdt } from './support.ts'
import { decide } from '../../../server/orders/model/decide.ts'
import { nextTick } from '../../../server/orders/model/ticking.ts'

function partial(amount = 400n) {
  const one = awaiting()
  one.pay(amount)
  one.statuses()
  return one
}

const asked = (amount: bigint, from: 'deposit' | 'order' = 'deposit', asset = usdc) =>
  ({ type: 'refund', refund: { id: 'r9', asset, amount, gas: 5n, address: payer, from, refundOrderId: 'ord_r9' } }) as const

test('behavior: before settlement money goes back from the deposit address, and the order is REFUNDED when all of it did', () => {
  const one = partial()
  one.refund(400n)
  expect(one.order).toMatchObject({ status: 'PARTIAL_PAYMENT', refunds: [{ amount: 400n, gas: 5n, state: 'pending' }] })
  one.refundOutcome('broadcast')
  one.refundOutcome()
  expect(one.statuses()).toEqual(['REFUNDED'])
  expect(one.order.transfers).toMatchObject([{ state: 'refunded' }])
  checkWhole(one.order, one.log)
})

test('behavior: refunds add up; only the last of them makes it REFUNDED', () => {
  const one = partial()
  one.refund(100n)
  one.refundOutcome()
  expect(one.statuses()).toEqual([])
  expect(one.refused(asked(301n))).toBe('refund_too_large')
  one.refund(300n)
  one.refundOutcome()
  expect(one.statuses()).toEqual(['REFUNDED'])
})

test('behavior: what is on its way back is due again, and the order stays partly paid', () => {
  const one = partial()
  one.refund(400n)
  one.pay(600n)
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
  one.refundOutcome('failed')
  expect(one.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: after settlement the merchant pays, in parts, until all that came has gone back', () => {
  const one = completed()
  one.refund(400n, { from: 'order' })
  one.refundOutcome('confirmed', [true])
  expect(one.order).toMatchObject({ status: 'COMPLETED', refunds: [{ amount: 400n, gas: 0n, state: 'confirmed' }] })
  one.refund(600n, { from: 'order' })
  one.refundOutcome('confirmed', [true])
  expect(one.statuses()).toEqual(['REFUNDED'])
})

test('behavior: a merchant who pays a refund late has paid it', () => {
  const one = completed()
  one.refund(1000n, { from: 'order' })
  one.refundOutcome('failed')
  one.refundOutcome('confirmed', [true], 'r1')
  expect(one.order.status).toBe('REFUNDED')
})

test('behavior: two refunds for the same money, one of them late, still end REFUNDED', () => {
  const one = completed()
  one.refund(1000n, { from: 'order' })
  one.refundOutcome('failed')
  one.refund(1000n, { from: 'order' })
  one.refundOutcome('confirmed', [true], 'r1')
  expect(one.order.status).toBe('REFUNDED')
  one.refundOutcome('confirmed', [true], 'r2')
  expect(one.order.status).toBe('REFUNDED')
})

test('error: more than was received, more than is there, less than its gas, and what the deposit address still holds', () => {
  const one = completed(undefined, 1100n)
  expect(one.refused(asked(1101n, 'order'))).toBe('refund_too_large')
  expect(one.refused(asked(101n))).toBe('refund_too_large')
  expect(one.refused(asked(5n))).toBe('refund_too_large')
  expect(one.refused(asked(1100n, 'order'))).toBe('refund_too_large')
  one.refund(1000n, { from: 'order' })
  one.refund(100n)
  expect(one.order.refunds).toHaveLength(2)
})

test('error: an order that is being paid or settled', () => {
  const seen = awaiting()
  seen.see(1000n)
  expect(seen.refused(asked(10n))).toBe('nothing_to_refund')
  seen.confirm()
  expect(seen.order.status).toBe('EXECUTING_ORDER')
  expect(seen.refused(asked(10n))).toBe('nothing_to_refund')
})

test('behavior: money of another token may go back at any time, whole or in parts', () => {
  const one = awaiting()
  const stray = one.pay(1000n, { asset: usdt })
  one.refund(400n, { asset: usdt })
  one.refundOutcome()
  expect(stateOf(one, stray)).toBe('held: wrong_token')
  one.refund(600n, { asset: usdt })
  one.refundOutcome()
  expect(stateOf(one, stray)).toBe('refunded: wrong_token')
  expect(one.order.status).toBe('AWAITING_PAYMENT')
  one.pay(1000n)
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: an expired order whose stray money went back is REFUNDED', () => {
  const one = awaiting()
  one.pay(1000n, { asset: usdt })
  one.wait(31 * minute)
  one.tick()
  one.refund(1000n, { asset: usdt })
  one.refundOutcome()
  expect(one.statuses()).toEqual(['EXPIRED', 'REFUNDED'])
})

test('behavior: money that arrives after REFUNDED is held and can go back too', () => {
  const one = partial()
  one.refund(400n)
  one.refundOutcome()
  const late = one.pay(300n)
  expect(stateOf(one, late)).toBe('held: after_settlement')
  one.refund(300n)
  one.refundOutcome()
  expect(stateOf(one, late)).toBe('refunded: after_settlement')
  expect(one.order.status).toBe('REFUNDED')
})

test('behavior: a failed order is not retried while money goes back, and again when that failed', () => {
  const one = awaiting()
  one.pay(1000n)
  one.settle('failed')
  one.refund(1000n)
  expect(nextTick(one.order, policy)).toBeUndefined()
  one.wait(day)
  expect(one.tick()).toEqual([])
  one.refundOutcome('failed')
  one.tick()
  expect(one.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: a failed order whose money went back is REFUNDED', () => {
  const one = awaiting()
  one.pay(1000n)
  one.settle('failed')
  one.refund(1000n)
  one.refundOutcome()
  expect(one.order.status).toBe('REFUNDED')
  expect(one.order.transfers).toMatchObject([{ state: 'refunded' }])
})

test('behavior: a refund whose address refused has cost its gas, which the payer is not asked for', () => {
  const one = awaiting()
  one.pay(1000n)
  one.settle('failed')
  one.refund(1000n)
  one.refundOutcome('confirmed', [false, true])
  expect(atDeposit(one.order, usdc)).toBe(995n)
  one.wait(minute)
  one.tick()
  expect(one.order.settlements.at(-1)?.legs.map((leg) => leg.amount)).toEqual([985n, 10n])
})

test('behavior: what a settlement paid in fees before it failed is the merchant’s to give back', () => {
  const one = awaiting()
  one.pay(1000n)
  one.settle('confirmed', (role) => role === 'fees')
  expect(one.refused(asked(1000n, 'order'))).toBe('refund_too_large')
  one.refund(990n)
  one.refundOutcome()
  expect(one.order.status).toBe('FAILED')
  one.refund(10n, { from: 'order' })
  one.refundOutcome('confirmed', [true])
  expect(one.order.status).toBe('REFUNDED')
})

test('behavior: refunds after settlement leave nothing due', () => {
  const one = completed(undefined, 1100n)
  one.refund(100n)
  one.refundOutcome()
  checkWhole(one.order, one.log)
  one.pay(40n)
  expect(one.order.status).toBe('COMPLETED')
})

/** As the service makes the order of mode REFUND whose money another order's deposit address sends. */
function sentByAnother(...more: Fact[]): Order {
  const { order } = story({ mode: 'REFUND', recipient: payer, refundOf: { orderId: 'ord_0', refundId: 'r1', fromDeposit: true } })
  return [...moveTo('PENDING', 'EXECUTING_ORDER'), ...more].reduce((state, fact) => apply(state, fact, t0), order)
}
const planned: Fact = {
  type: 'settlement_planned',
  id: 's1',
  token: usdc,
  legs: [{ role: 'recipient', to: payer, amount: 995n }],
  transfers: [],
}

test('behavior: a REFUND order sent from another deposit address has spent nothing of its own', () => {
  const order = sentByAnother(
    planned,
    { type: 'settlement_confirmed', id: 's1', txHash: '0x1', paid: [true] },
    { type: 'became', status: 'COMPLETED' },
  )
  expect(atDeposit(order, usdc)).toBe(0n)
  expect(unexplained(order, usdc, 0n, 120)).toBe(0n)
})

test('behavior: such an order that failed is not retried by itself, and holds what is sent to it', () => {
  const order = sentByAnother(planned, { type: 'settlement_failed', id: 's1', reason: 'refused' }, { type: 'became', status: 'FAILED' })
  expect(nextTick(order, policy)).toBeUndefined()
  expect(decide(order, { type: 'tick' }, policy, t0 + day)).toEqual({ ok: true, facts: [] })
  const transfer = { key: '8453:0x1:0', asset: usdc, txHash: '0x1', amount: 5000n, block: 1, blockHash: 'b1', seenAt: t0, needed: 1 }
  const arrived = decide(order, { type: 'arrived', transfers: [transfer], head: 1 }, policy, t0)
  expect(arrived.ok && arrived.facts.at(-1)).toEqual({ type: 'transfers_held', keys: ['8453:0x1:0'], reason: 'after_settlement' })
})

test('behavior: a REFUND order that the merchant pays is an ordinary one', () => {
  const one = story(
    { mode: 'REFUND', recipient: otherPayer, refundOf: { orderId: 'ord_0', refundId: 'r1', fromDeposit: false } },
    { quote: quoteOf({ output: 1000n, fees: { custom: 0n, protocol: 0n, relayer: 0n, gas: 0n } }) },
  )
  one.choose({ quote: one.order.quotes[0] })
  one.pay(1000n)
  expect(one.order.settlements[0]?.legs).toEqual([{ role: 'recipient', to: otherPayer, amount: 1000n }])
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  expect(shop).not.toBe(otherPayer)
})

test('behavior: the same refund asked twice is one', () => {
  const one = partial()
  one.refund(100n, { id: 'r1' })
  expect(one.tell(asked(100n)).length).toBe(1)
  expect(one.tell(asked(100n))).toEqual([])
  expect(one.order.refunds).toHaveLength(2)
})
