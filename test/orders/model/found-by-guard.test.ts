import { describe, expect, test } from 'vitest'
import { feeCap } from '../../../server/orders/model/fee-cap.ts'
import { atDeposit } from '../../../server/orders/model/funding.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { checkWhole, ledgerOf } from './invariants.ts'
import {
  awaiting,
  collector,
  completed,
  ether,
  etherQuote,
  legsOf,
  minute,
  payer,
  plain,
  running,
  shop,
  stateOf,
  story,
  type Story,
  usdc,
} from './support.ts'

/** Whoever has an operator's key sends what the guard has signed, before we do or instead of us. */

const booked = ({ log }: Story, account: string, asset = usdc) => ledgerOf(log).get(`${account} ${asset.chainId} ${asset.address}`) ?? 0n
const at = { id: 'm1', asset: usdc, txHash: '0xfeed', block: 200 } as const
const toPayer = { to: payer, amount: 95n }
const gas = { to: collector, amount: 5n }

describe('a refund', () => {
  test('default: ours is confirmed by their transaction, and the failure of our own changes nothing', () => {
    const sale = completed(payer, 1100n)
    sale.handle({ type: 'found_refund', ...at, legs: [toPayer, gas] })
    expect(sale.order.refunds).toMatchObject([{ id: 'r1', state: 'confirmed', txHash: '0xfeed', block: 200, gasTaken: 5n }])
    sale.handle({ type: 'refund_outcome', id: 'r1', outcome: { state: 'failed', reason: 'NonceUsed()' } })
    expect(snapshot(sale.order).payment?.refunds).toMatchObject([{ state: 'confirmed', tx_hash: '0xfeed' }])
    expect([booked(sale, 'deposit'), booked(sale, 'refunds'), booked(sale, 'gas')]).toEqual([0n, 95n, 5n])
    const again = { id: 'r2', asset: usdc, amount: 1100n, gas: 5n, address: payer, from: 'order', refundOrderId: 'ord_r2' } as const
    expect(sale.refused({ type: 'refund', refund: again })).toBe('refund_too_large')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: ours had failed already, and so had another of the same amount that was sent after it', () => {
    const sale = completed(payer, 1100n)
    sale.refundOutcome('failed')
    sale.refund(100n)
    sale.handle({ type: 'found_refund', ...at, legs: [toPayer, gas] })
    expect(sale.order.refunds.map(({ state }) => state)).toEqual(['confirmed', 'pending'])
    sale.refundOutcome('failed')
    expect(atDeposit(sale.order, usdc)).toBe(0n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: only its gas could be paid, so it has failed and has cost that', () => {
    const sale = completed(payer, 1100n)
    sale.handle({ type: 'found_refund', ...at, legs: [gas] })
    expect(sale.order.refunds).toMatchObject([{ state: 'failed', gasTaken: 5n, block: 200 }])
    expect(booked(sale, 'deposit')).toBe(95n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: only its gas was paid, which a reorganisation has undone, and ours is mined before that is known', () => {
    const sale = completed(payer, 1100n)
    sale.handle({ type: 'found_refund', ...at, legs: [gas] })
    sale.refundOutcome('confirmed', [true, true], 'r1')
    expect(sale.order.refunds).toMatchObject([{ state: 'confirmed', txHash: '0x4ef0r1', gasTaken: 5n }])
    expect(sale.lose(at.id)).toEqual([])
    expect([booked(sale, 'deposit'), booked(sale, 'refunds'), booked(sale, 'gas')]).toEqual([0n, 95n, 5n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of two of the same amount, the one that we did not send had only its gas paid', () => {
    const sale = completed(undefined, 1300n)
    for (let i = 0; i < 2; i++) sale.refund(100n)
    sale.handle({ type: 'found_refund', ...at, legs: [gas] })
    sale.refundOutcome('confirmed', [true, true], 'r1')
    sale.refundOutcome('failed', [], 'r2')
    expect(sale.order.refunds).toMatchObject([
      { state: 'confirmed', txHash: '0x4ef0r1' },
      { state: 'failed', gasTaken: 5n, sendFailed: true },
    ])
    expect(booked(sale, 'deposit')).toBe(195n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of two of the same amount, both had only their gas paid, one by us', () => {
    const sale = completed(undefined, 1300n)
    for (let i = 0; i < 2; i++) sale.refund(100n)
    sale.handle({ type: 'found_refund', ...at, legs: [gas] })
    sale.refundOutcome('failed', [], 'r2')
    sale.refundOutcome('confirmed', [false, true], 'r1')
    expect(sale.order.refunds).toMatchObject([
      { state: 'failed', gasTaken: 5n },
      { state: 'failed', gasTaken: 5n },
    ])
    expect([booked(sale, 'deposit'), booked(sale, 'gas')]).toEqual([290n, 10n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: one that this service has not planned is a refund all the same, and the merchant learns of it', () => {
    const sale = completed(undefined, 1100n)
    sale.handle({ type: 'found_refund', ...at, legs: [{ to: '0xe', amount: 60n }] })
    expect(sale.statuses()).toEqual(['COMPLETED'])
    expect(snapshot(sale.order).payment?.refunds).toMatchObject([{ address: '0xe', amount: { raw: '60' }, state: 'confirmed' }])
    expect([booked(sale, 'deposit'), booked(sale, 'refunds')]).toEqual([40n, 60n])
    const rest = { id: 'r2', asset: usdc, amount: 41n, gas: 5n, address: payer, from: 'deposit', refundOrderId: 'ord_r2' } as const
    expect(sale.refused({ type: 'refund', refund: rest })).toBe('refund_too_large')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: one transaction has two of ours and another', () => {
    const sale = completed(undefined, 1300n)
    for (let i = 0; i < 2; i++) sale.refund(100n)
    sale.handle({ type: 'found_refund', ...at, legs: [toPayer, gas, toPayer, { to: '0xe', amount: 30n }] })
    expect(sale.order.refunds.map(({ state, gasTaken }) => [state, gasTaken])).toEqual([
      ['confirmed', 5n],
      ['confirmed', 0n],
      ['confirmed', 0n],
    ])
    expect(booked(sale, 'deposit')).toBe(75n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a reorganisation undoes it, and it counts again when it is found in another block, or when ours is mined', () => {
    const sale = completed(payer, 1100n)
    sale.handle({ type: 'found_refund', ...at, legs: [toPayer, gas] })
    sale.lose(at.id)
    expect(sale.order.refunds).toMatchObject([{ state: 'pending' }])
    expect(booked(sale, 'deposit')).toBe(100n)
    sale.handle({ type: 'found_refund', ...at, id: 'm2', legs: [toPayer, gas] })
    expect(booked(sale, 'deposit')).toBe(0n)
    sale.refundOutcome('confirmed', [true, true], 'r1')
    expect(sale.lose('m2')).toEqual([])
    expect([booked(sale, 'deposit'), booked(sale, 'refunds')]).toEqual([0n, 95n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: undone by a reorganisation after our own transaction has failed, it has failed', () => {
    const sale = completed(payer, 1100n)
    sale.handle({ type: 'found_refund', ...at, legs: [toPayer, gas] })
    sale.refundOutcome('failed', [], 'r1')
    sale.lose(at.id)
    expect(sale.order.refunds).toMatchObject([{ state: 'failed' }])
    expect(booked(sale, 'deposit')).toBe(100n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of two of the same amount, the one that we did not send is theirs', () => {
    const sale = completed(undefined, 1300n)
    for (let i = 0; i < 2; i++) sale.refund(100n)
    sale.handle({ type: 'found_refund', ...at, legs: [toPayer, gas] })
    sale.refundOutcome('confirmed', [true, true], 'r1')
    sale.refundOutcome('failed', [], 'r2')
    expect(sale.order.refunds).toMatchObject([
      { state: 'confirmed', txHash: '0x4ef0r1' },
      { state: 'confirmed', txHash: '0xfeed' },
    ])
    expect(booked(sale, 'deposit')).toBe(100n)
    checkWhole(sale.order, sale.log)
  })
})

describe('a conversion', () => {
  const swap = { source: ether, amountIn: 5000n, swapped: 1003n } as const
  const legs = [
    { role: 'recipient', to: shop, amount: 993n },
    { role: 'fees', to: collector, amount: 10n },
  ] as const
  function converting(): Story {
    const sale = story()
    sale.choose({ source: ether, quote: { ...etherQuote() }, refundAddress: plain(payer) })
    sale.pay(5000n, { asset: ether })
    sale.statuses()
    return sale
  }
  const balances = (sale: Story) => [
    booked(sale, 'deposit', ether),
    booked(sale, 'deposit'),
    booked(sale, 'recipient'),
    booked(sale, 'fees'),
  ]

  test('default: ours is confirmed by their transaction, and what it sends back is no payment, whenever it is seen', () => {
    const sale = converting()
    const proceeds = sale.pay(1003n, { asset: usdc, txHash: '0xfeed' })
    expect(stateOf(sale, proceeds)).toBe('held: other_source')
    sale.handle({ type: 'found', ...at, legs, swap })
    expect(sale.order).toMatchObject({ status: 'COMPLETED', settlements: [{ state: 'confirmed', txHash: '0xfeed', swapped: 1003n }] })
    expect(stateOf(sale, proceeds)).toBe('dropped')
    sale.handle({ type: 'arrived', transfers: [proceeds] })
    expect(stateOf(sale, proceeds)).toBe('dropped')
    sale.handle({ type: 'settlement', id: 's1', outcome: { state: 'failed', reason: 'NonceUsed()' } })
    expect(sale.statuses()).toEqual(['COMPLETED'])
    expect(balances(sale)).toEqual([0n, 0n, 993n, 10n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: the recipient did not take it, so what it yielded is held', () => {
    const sale = converting()
    sale.handle({ type: 'found', ...at, legs: [], swap })
    expect(sale.order.status).toBe('FAILED')
    expect(balances(sale)).toEqual([0n, 1003n, 0n, 0n])
    sale.wait(minute)
    sale.tick()
    expect(legsOf(sale)).toEqual({ recipient: 993n, fees: 10n })
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a reorganisation undoes it, and we convert again', () => {
    const sale = converting()
    sale.handle({ type: 'found', ...at, legs, swap })
    sale.statuses()
    sale.lose(at.id)
    expect(sale.statuses()).toEqual(['EXECUTING_ORDER'])
    expect(balances(sale)).toEqual([5000n, 0n, 0n, 0n])
    expect(running(sale.order)).toMatchObject({ id: 's1', swap: { amountIn: 5000n } })
    sale.settle()
    expect(sale.order.status).toBe('COMPLETED')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a reorganisation undoes it after our own transaction has failed, and we convert again', () => {
    const sale = converting()
    sale.handle({ type: 'found', ...at, legs, swap })
    sale.handle({ type: 'settlement', id: 's1', outcome: { state: 'failed', reason: 'NonceUsed()' } })
    sale.lose(at.id)
    expect(running(sale.order)).toMatchObject({ id: 's2', swap: { amountIn: 5000n } })
    sale.settle()
    checkWhole(sale.order, sale.log)
  })

  test('behavior: one that this service has not planned takes what it has taken, and what the recipient did not get is held', () => {
    const sale = converting()
    sale.handle({
      type: 'found',
      ...at,
      legs: [{ role: 'recipient', to: shop, amount: 300n }],
      swap: { ...swap, amountIn: 2000n, swapped: 400n },
    })
    expect(balances(sale)).toEqual([3000n, 100n, 300n, 0n])
    expect(atDeposit(sale.order, usdc)).toBe(100n)
    sale.lose(at.id)
    expect(balances(sale)).toEqual([5000n, 0n, 0n, 0n])
    checkWhole(sale.order, sale.log)
  })
})

test('behavior: the flat fee is counted by call, so a thief who settles in several calls leaves as much of it as the contract says', () => {
  const sale = awaiting({}, undefined, { binding: { maxFeeBps: 100, maxFeeFlat: 8n } })
  sale.pay(400n)
  sale.theyMove(300n)
  sale.theyMove(95n, 5n)
  // 1 % of 100 is 1, so 4 of the 5 were flat.
  expect(feeCap(sale.order, usdc, 600n)).toBe(6n + 4n)
})

test('behavior: a settlement that has failed after others had moved money is planned again with the share of the fee alone', () => {
  const sale = awaiting({}, undefined, { binding: { maxFeeBps: 50, maxFeeFlat: 8n } })
  sale.pay(400n)
  sale.theyMove(400n)
  sale.pay(600n)
  expect(legsOf(sale)).toEqual({ recipient: 590n, fees: 10n })
  sale.settle('failed')
  sale.wait(minute)
  sale.tick()
  expect(legsOf(sale)).toEqual({ recipient: 597n, fees: 3n })
  checkWhole(sale.order, sale.log)
})
