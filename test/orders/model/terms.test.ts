import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { feeCap } from '../../../server/orders/model/fee-cap.ts'
import { atDeposit } from '../../../server/orders/model/funding.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { checkWhole } from './invariants.ts'
import {
  awaiting,
  type Binding,
  completed,
  day,
  ether,
  etherQuote,
  legsOf,
  minute,
  money,
  payer,
  plain,
  policy,
  quoteOf,
  releaseAt,
  running,
  stateOf,
  story,
  type Story,
  usdc,
  usdt,
} from './support.ts'

function paidWith(binding: Binding, amount = 1000n, refundAddress?: string): Story {
  const sale = awaiting({}, refundAddress, { binding })
  sale.pay(amount)
  sale.statuses()
  return sale
}
function converting(binding: Binding): Story {
  const sale = story({}, { binding })
  sale.choose({ source: ether, quote: { ...etherQuote() }, refundAddress: plain(payer) })
  sale.statuses()
  return sale
}

test('default: the fee is at most a share of what is moved and the flat sum, and the recipient gets the difference', () => {
  expect(legsOf(paidWith({ maxFeeBps: 90, maxFeeFlat: 1n }))).toEqual({ recipient: 990n, fees: 10n })
  expect(legsOf(paidWith({ maxFeeBps: 50, maxFeeFlat: 1n }))).toEqual({ recipient: 994n, fees: 6n })
  expect(legsOf(paidWith({ maxFeeBps: 0, maxFeeFlat: 0n }))).toEqual({ recipient: 1000n })
})

test('behavior: a fee that the cap has lowered keeps no surplus back', () => {
  const sale = paidWith({ maxFeeBps: 50, maxFeeFlat: 1n }, 1100n, payer)
  expect(legsOf(sale)).toEqual({ recipient: 994n, fees: 6n })
  sale.settle()
  expect(sale.order.refunds).toMatchObject([{ amount: 100n, reason: 'overpaid' }])
  sale.refundOutcome()
  expect(atDeposit(sale.order, usdc)).toBe(0n)
  checkWhole(sale.order, sale.log)
})

test('behavior: the flat fee that others have taken is not taken again, and it is free again if that is undone', () => {
  const sale = awaiting({}, undefined, { binding: { maxFeeBps: 0, maxFeeFlat: 8n } })
  sale.pay(400n)
  const id = sale.theyMove(395n, 5n)
  expect(feeCap(sale.order, usdc, 600n)).toBe(3n)
  sale.pay(600n)
  expect(legsOf(sale)).toEqual({ recipient: 597n, fees: 3n })
  sale.lose(id)
  expect(feeCap(sale.order, usdc, 600n)).toBe(8n)
})

test('behavior: a fee whose leg failed has used up nothing of the flat fee', () => {
  const sale = paidWith({ maxFeeBps: 0, maxFeeFlat: 10n })
  sale.settle('confirmed', () => false)
  sale.wait(minute)
  sale.tick()
  expect(legsOf(sale)).toEqual({ recipient: 990n, fees: 10n })
})

test('property: what the contract would refuse is never planned, and nothing that was paid is left over', () => {
  const amount = fc.bigInt({ min: 1n, max: 1500n })
  fc.assert(
    fc.property(
      fc.nat({ max: 150 }),
      fc.bigInt({ min: 0n, max: 15n }),
      amount,
      amount,
      fc.nat({ max: 100 }),
      (bps, flat, first, second, share) => {
        const sale = awaiting({ toleranceBps: 500 }, undefined, { binding: { maxFeeBps: bps, maxFeeFlat: flat } })
        sale.pay(first)
        const most = feeCap(sale.order, usdc, first)
        const fee = (most * BigInt(share)) / 100n
        if (!running(sale.order) && first > fee) sale.theyMove(first - fee, fee)
        sale.pay(second)
        const settlement = running(sale.order)
        if (!settlement) return
        const { recipient = 0n, fees = 0n } = legsOf(sale)
        const isShared = (of: bigint) => (of * BigInt(bps)) / 10_000n
        const flatBefore = sale.order.settlements.length > 1 && fee > isShared(first) ? fee - isShared(first) : 0n
        expect(recipient).toBeGreaterThan(0n)
        expect(fees <= isShared(recipient + fees) || fees - isShared(recipient + fees) + flatBefore <= flat).toBe(true)
        sale.settle()
        expect(sale.order.status).toBe('COMPLETED')
        checkWhole(sale.order, sale.log)
      },
    ),
  )
})

test('behavior: while the guard does not sign for a surplus, the order is completed and says what it waits for', () => {
  const sale = completed(payer, 1100n)
  const waiting = { type: 'refund_outcome', id: 'r1', outcome: { state: 'waiting' } } as const
  sale.handle(waiting)
  expect(snapshot(sale.order)).toMatchObject({ status: 'COMPLETED', payment: { waiting_for: 'guard', refunds: [{ state: 'pending' }] } })
  sale.refundOutcome('broadcast')
  expect(snapshot(sale.order).payment?.waiting_for).toBeUndefined()
  sale.refundOutcome()
  expect(sale.handle(waiting)).toEqual([])
  checkWhole(sale.order, sale.log)
})

test('behavior: an order whose guard has signed waits for it no longer, though nothing is broadcast yet, and may wait again', () => {
  const sale = completed(payer, 1100n)
  const report = (state: 'waiting' | 'approved') => sale.handle({ type: 'refund_outcome', id: 'r1', outcome: { state } })
  expect(report('approved')).toEqual([])
  for (let i = 0; i < 2; i++) {
    report('waiting')
    expect(snapshot(sale.order).payment?.waiting_for).toBe('guard')
    report('approved')
    expect(snapshot(sale.order).payment?.waiting_for).toBeUndefined()
  }
  sale.refundOutcome()
  checkWhole(sale.order, sale.log)
})

test('behavior: each of several moves waits for the guard on its own', () => {
  const sale = converting({})
  sale.pay(1000n, { asset: usdt })
  sale.refund(1000n, { asset: usdt })
  sale.pay(5000n, { asset: ether })
  sale.handle({ type: 'refund_outcome', id: 'r1', outcome: { state: 'waiting' } })
  sale.handle({ type: 'settlement', id: 's1', outcome: { state: 'waiting' } })
  sale.settle()
  expect(sale.order.status).toBe('COMPLETED')
  expect(snapshot(sale.order).payment?.waiting_for).toBe('guard')
  sale.refundOutcome('failed')
  expect(snapshot(sale.order).payment?.waiting_for).toBeUndefined()
})

test('behavior: without a guard a surplus is held until the release, and the merchant can pay it back', () => {
  const sale = completed(payer, 1100n, { binding: { guard: null } })
  expect(sale.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
  expect(snapshot(sale.order).payment).toMatchObject({
    held: [{ amount: { raw: '100' }, reason: 'surplus' }],
    held_until: new Date(releaseAt).toISOString(),
  })
  const refund = { id: 'r1', asset: usdc, amount: 100n, gas: 5n, address: payer, from: 'deposit', refundOrderId: 'ord_r1' } as const
  expect(sale.refused({ type: 'refund', refund })).toBe('no_guard')
  sale.refund(100n, { from: 'order' })
  sale.refundOutcome('confirmed', [true])
  sale.theyMove(100n)
  expect(sale.order.status).toBe('COMPLETED')
  expect(atDeposit(sale.order, usdc)).toBe(0n)
  checkWhole(sale.order, sale.log)
})

test('behavior: without a guard nothing is converted, and money that could not be converted is held', () => {
  const sale = converting({ guard: null })
  const paid = sale.pay(5000n, { asset: ether })
  expect(sale.order).toMatchObject({ status: 'FAILED', settlements: [], refunds: [] })
  expect(stateOf(sale, paid)).toBe('held: settlement_failed')
})

test('behavior: a conversion that nobody can sign for is not retried because an earlier settlement had failed', () => {
  const sale = converting({ guard: null })
  const gone = sale.pay(1000n)
  sale.settle('failed')
  sale.vanish(gone)
  sale.pay(5000n, { asset: ether })
  expect(sale.order.status).toBe('FAILED')
  sale.wait(minute)
  expect(sale.tick()).toEqual([])
})

test('error: an order of an earlier release gets no price and no time, and money that still arrives is held', () => {
  const sale = story({}, { binding: 'none' })
  expect(sale.refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('no_terms')
  const paid = sale.pay(1000n)
  expect(sale.order).toMatchObject({ status: 'FAILED', settlements: [] })
  expect(stateOf(sale, paid)).toBe('held: settlement_failed')
  expect(sale.tick()).toEqual([])
  const refund = { id: 'r1', asset: usdc, amount: 1000n, gas: 5n, address: payer, from: 'deposit', refundOrderId: 'ord_r1' } as const
  expect(sale.refused({ type: 'refund', refund })).toBe('no_guard')
  expect(snapshot(sale.order).payment).toMatchObject({
    held: [{ amount: { raw: '1000' } }],
    refund: { reason: 'held: The terms of this order do not let us move it.' },
  })
  checkWhole(sale.order, sale.log)
})

test('error: within days of its release an order gets no new price and no more time', () => {
  const sale = story()
  sale.wait(releaseAt - policy.closesBeforeReleaseMs - sale.now - 25 * minute - 1)
  sale.choose()
  sale.wait(25 * minute)
  sale.handle({ type: 'extend', quote: undefined })
  sale.wait(31 * minute)
  expect(sale.refused({ type: 'extend', quote: undefined })).toBe('near_release')
  sale.wait(day)
  sale.tick()
  expect(sale.refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('near_release')
})

test('behavior: money that has arrived is priced again and settled, however near the release is', () => {
  const sale = converting({})
  sale.pay(2000n, { asset: ether })
  sale.wait(releaseAt - day - sale.now)
  sale.choose({ source: ether, quote: { ...etherQuote(2500n) } })
  expect(money(sale)).toMatchObject({ required: 2500n, remaining: 500n })
  sale.pay(500n, { asset: ether })
  expect(sale.order.status).toBe('EXECUTING_ORDER')
})
