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
  const story = awaiting()
  story.pay(amount)
  story.statuses()
  return story
}

const refundCommand = (amount: bigint, from: 'deposit' | 'order' = 'deposit', asset = usdc) =>
  ({ type: 'refund', refund: { id: 'r9', asset, amount, gas: 5n, address: payer, from, refundOrderId: 'ord_r9' } }) as const

test('behavior: before settlement a refund comes from the deposit address, and a full refund is REFUNDED', () => {
  const story = partial()
  story.refund(400n)
  expect(story.order).toMatchObject({ status: 'PARTIAL_PAYMENT', refunds: [{ amount: 400n, gas: 5n, state: 'pending' }] })
  story.refundOutcome('broadcast')
  story.refundOutcome()
  expect(story.statuses()).toEqual(['REFUNDED'])
  expect(story.order.transfers).toMatchObject([{ state: 'refunded' }])
  checkWhole(story.order, story.log)
})

test('behavior: refunds add up, and only the last of them makes it REFUNDED', () => {
  const story = partial()
  story.refund(100n)
  story.refundOutcome()
  expect(story.statuses()).toEqual([])
  expect(story.refused(refundCommand(301n))).toBe('refund_too_large')
  story.refund(300n)
  story.refundOutcome()
  expect(story.statuses()).toEqual(['REFUNDED'])
})

test('error: a signature that has asked for a refund asks for no other, from an address whose guard would refuse it', () => {
  const story = partial()
  const asked = (signature: string, api_key = 'pk_1') => {
    const { type, refund } = refundCommand(100n)
    return { type, refund: { ...refund, evidence: { api_key, signature } } } as const
  }
  story.refund(100n, { evidence: asked('a').refund.evidence })
  story.refundOutcome()
  expect(story.refused(asked('a'))).toBe('signature_used')
  for (const other of [asked('b'), asked('a', 'pk_2')]) expect(decide(story.order, other, policy, t0).ok).toBe(true)
})

test('behavior: money being refunded is due again, and the order stays partly paid', () => {
  const story = partial()
  story.refund(400n)
  story.pay(600n)
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  story.refundOutcome('failed')
  expect(story.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: after settlement the merchant pays refunds, in parts, until everything received is refunded', () => {
  const story = completed()
  story.refund(400n, { from: 'order' })
  story.refundOutcome('confirmed', [true])
  expect(story.order).toMatchObject({ status: 'COMPLETED', refunds: [{ amount: 400n, gas: 0n, state: 'confirmed' }] })
  story.refund(600n, { from: 'order' })
  story.refundOutcome('confirmed', [true])
  expect(story.statuses()).toEqual(['REFUNDED'])
})

test('behavior: a failed refund that the merchant pays later counts as paid', () => {
  const story = completed()
  story.refund(1000n, { from: 'order' })
  story.refundOutcome('failed')
  story.refundOutcome('confirmed', [true], 'r1')
  expect(story.order.status).toBe('REFUNDED')
})

test('behavior: two refunds for the same money, one of them late, still end REFUNDED', () => {
  const story = completed()
  story.refund(1000n, { from: 'order' })
  story.refundOutcome('failed')
  story.refund(1000n, { from: 'order' })
  story.refundOutcome('confirmed', [true], 'r1')
  expect(story.order.status).toBe('REFUNDED')
  story.refundOutcome('confirmed', [true], 'r2')
  expect(story.order.status).toBe('REFUNDED')
})

test('error: a refund above the received or available amount, below its gas, or of money still at the deposit address is refused', () => {
  const story = completed(undefined, 1100n)
  expect(story.refused(refundCommand(1101n, 'order'))).toBe('refund_too_large')
  expect(story.refused(refundCommand(101n))).toBe('refund_too_large')
  expect(story.refused(refundCommand(5n))).toBe('refund_too_large')
  expect(story.refused(refundCommand(1100n, 'order'))).toBe('refund_too_large')
  story.refund(1000n, { from: 'order' })
  story.refund(100n)
  expect(story.order.refunds).toHaveLength(2)
})

test('error: a refund is refused while the order is being paid or settled', () => {
  const seen = awaiting()
  seen.see(1000n)
  expect(seen.refused(refundCommand(10n))).toBe('nothing_to_refund')
  seen.confirm()
  expect(seen.order.status).toBe('EXECUTING_ORDER')
  expect(seen.refused(refundCommand(10n))).toBe('nothing_to_refund')
})

test('behavior: money of another token can be refunded at any time, whole or in parts', () => {
  const story = awaiting()
  const stray = story.pay(1000n, { asset: usdt })
  story.refund(400n, { asset: usdt })
  story.refundOutcome()
  expect(stateOf(story, stray)).toBe('held: wrong_token')
  story.refund(600n, { asset: usdt })
  story.refundOutcome()
  expect(stateOf(story, stray)).toBe('refunded: wrong_token')
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  story.pay(1000n)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: an expired order whose stray money was refunded is REFUNDED', () => {
  const story = awaiting()
  story.pay(1000n, { asset: usdt })
  story.wait(31 * minute)
  story.tick()
  story.refund(1000n, { asset: usdt })
  story.refundOutcome()
  expect(story.statuses()).toEqual(['EXPIRED', 'REFUNDED'])
})

test('behavior: money that arrives after REFUNDED is held and can be refunded too', () => {
  const story = partial()
  story.refund(400n)
  story.refundOutcome()
  const late = story.pay(300n)
  expect(stateOf(story, late)).toBe('held: after_settlement')
  story.refund(300n)
  story.refundOutcome()
  expect(stateOf(story, late)).toBe('refunded: after_settlement')
  expect(story.order.status).toBe('REFUNDED')
})

test('behavior: a failed order is not retried during a refund, and is retried when the refund failed', () => {
  const story = awaiting()
  story.pay(1000n)
  story.settle('failed')
  story.refund(1000n)
  expect(nextTick(story.order, policy)).toBeUndefined()
  story.wait(day)
  expect(story.tick()).toEqual([])
  story.refundOutcome('failed')
  story.tick()
  expect(story.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: a failed order whose money was refunded is REFUNDED', () => {
  const story = awaiting()
  story.pay(1000n)
  story.settle('failed')
  story.refund(1000n)
  story.refundOutcome()
  expect(story.order.status).toBe('REFUNDED')
  expect(story.order.transfers).toMatchObject([{ state: 'refunded' }])
})

test('behavior: a refund whose address refused has cost its gas, which the payer does not owe', () => {
  const story = awaiting()
  story.pay(1000n)
  story.settle('failed')
  story.refund(1000n)
  story.refundOutcome('confirmed', [false, true])
  expect(atDeposit(story.order, usdc)).toBe(995n)
  story.wait(minute)
  story.tick()
  expect(story.order.settlements.at(-1)?.legs.map((leg) => leg.amount)).toEqual([985n, 10n])
})

test('behavior: refunds after settlement leave nothing due', () => {
  const story = completed(undefined, 1100n)
  story.refund(100n)
  story.refundOutcome()
  checkWhole(story.order, story.log)
  story.pay(40n)
  expect(story.order.status).toBe('COMPLETED')
})

/** Makes a REFUND order whose money is sent from another order's deposit address. */
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

test('behavior: a REFUND order paid from another deposit address has spent nothing of its own', () => {
  const order = sentByAnother(
    planned,
    { type: 'settlement_confirmed', id: 's1', txHash: '0x1', paid: [true] },
    { type: 'became', status: 'COMPLETED' },
  )
  expect(atDeposit(order, usdc)).toBe(0n)
  expect(unexplained(order, usdc, 0n, { height: 120, id: 'b120' })).toBe(0n)
})

test('behavior: a failed REFUND order paid from another deposit address is not retried, and holds money sent to it', () => {
  const order = sentByAnother(planned, { type: 'settlement_failed', id: 's1', reason: 'refused' }, { type: 'became', status: 'FAILED' })
  expect(nextTick(order, policy)).toBeUndefined()
  expect(decide(order, { type: 'tick' }, policy, t0 + day)).toEqual({ ok: true, facts: [] })
  const at = { block: 1, blockHash: 'b1', confirmations: 1, needed: 1 }
  const transfer = { key: '8453:0x1:0', asset: usdc, txHash: '0x1', amount: 5000n, ...at, seenAt: t0 }
  const arrived = decide(order, { type: 'arrived', transfers: [transfer] }, policy, t0)
  expect(arrived.ok && arrived.facts.at(-1)).toEqual({ type: 'transfers_held', keys: ['8453:0x1:0'], reason: 'after_settlement' })
})

test('behavior: a REFUND order that the merchant pays is an ordinary one', () => {
  const sale = story(
    { mode: 'REFUND', recipient: otherPayer, refundOf: { orderId: 'ord_0', refundId: 'r1', fromDeposit: false } },
    { quote: quoteOf({ output: 1000n, fees: { custom: 0n, protocol: 0n, relayer: 0n, gas: 0n } }) },
  )
  sale.choose({ quote: sale.order.quotes[0] })
  sale.pay(1000n)
  expect(sale.order.settlements[0]?.legs).toEqual([{ role: 'recipient', to: otherPayer, amount: 1000n }])
  sale.settle()
  expect(sale.order.status).toBe('COMPLETED')
  expect(shop).not.toBe(otherPayer)
})

test('behavior: a repeated refund request makes one refund', () => {
  const story = partial()
  story.refund(100n, { id: 'r1' })
  expect(story.handle(refundCommand(100n)).length).toBe(1)
  expect(story.handle(refundCommand(100n))).toEqual([])
  expect(story.order.refunds).toHaveLength(2)
})
