import { describe, expect, test } from 'vitest'
import { unexplained } from '../../../server/orders/model/balance.ts'
import { ledgerOf } from './invariants.ts'
import { awaiting, completed, legsOf, minute, money, payer, stateOf, type Story, usdc, usdt } from './support.ts'

test('behavior: seen money that vanishes leaves the order as it was', () => {
  const one = awaiting()
  const paid = one.see(1000n)
  one.vanish(paid)
  expect(one.statuses()).toEqual(['AWAITING_CONFIRMATION', 'AWAITING_PAYMENT'])
  expect(money(one)).toMatchObject({ seen: 0n, received: 0n, remaining: 1000n })
})

test('behavior: after its time it is EXPIRED again', () => {
  const one = awaiting()
  const paid = one.see(1000n)
  one.wait(31 * minute)
  one.vanish(paid)
  expect(one.order.status).toBe('EXPIRED')
})

test('behavior: of several transfers the rest still counts', () => {
  const one = awaiting()
  one.pay(370n)
  const rest = one.see(630n)
  one.vanish(rest)
  expect(one.statuses()).toEqual(['PARTIAL_PAYMENT', 'AWAITING_CONFIRMATION', 'PARTIAL_PAYMENT'])
})

test('behavior: money that is mined again counts once', () => {
  const one = awaiting()
  const paid = one.see(1000n)
  one.vanish(paid)
  one.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  one.confirm()
  one.settle()
  expect(one.order.transfers).toHaveLength(1)
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: confirmed money that shows up in another block must be confirmed there', () => {
  const one = awaiting()
  const paid = one.pay(370n)
  one.see(370n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  expect(stateOf(one, paid)).toBe('seen')
  one.vanish()
  one.confirm()
  expect(stateOf(one, paid)).toBe('confirmed')
  expect(ledgerOf(one.log).get(`deposit 8453 ${paid.asset.address}`)).toBe(370n)
})

test('behavior: what was thought of a transfer goes with its block', () => {
  const one = completed()
  const late = one.pay(50n)
  expect(stateOf(one, late)).toBe('held: after_settlement')
  one.vanish(late)
  expect(stateOf(one, late)).toBe('dropped')
})

test('behavior: an arrival vouches for its own block only', () => {
  const one = awaiting()
  const gone = one.see(370n)
  for (const amount of [1n, 2n, 3n, 4n]) one.see(amount)
  expect(stateOf(one, gone)).toBe('seen')
})

test('behavior: a reorg after confirmation takes the order back, and its settlement pays nobody twice', () => {
  const one = awaiting()
  const paid = one.pay(1000n)
  one.settle('broadcast')
  one.vanish(paid)
  expect(one.order.status).toBe('AWAITING_PAYMENT')
  one.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  one.settle('confirmed', () => false)
  expect(one.order.status).toBe('AWAITING_CONFIRMATION')
  one.confirm()
  expect(one.order.settlements).toHaveLength(2)
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: a settlement that went through before its money was seen again completes the order, and the money is applied', () => {
  const one = awaiting()
  const paid = one.pay(1000n)
  one.vanish(paid)
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  expect(stateOf(one, paid)).toBe('dropped')
  one.pay(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  expect(stateOf(one, paid)).toBe('applied')
  expect(ledgerOf(one.log).get(`deposit 8453 ${paid.asset.address}`)).toBe(0n)
})

test('behavior: also when the payer’s wallet sent it as another transaction', () => {
  const one = awaiting({}, payer)
  const paid = one.pay(1000n)
  one.vanish(paid)
  one.settle()
  const again = one.pay(1000n)
  expect(stateOf(one, again)).toBe('applied')
  expect(one.order.refunds).toEqual([])
})

test('behavior: late money that vanished while it went back is refunded when it is seen again', () => {
  const one = completed(payer)
  const late = one.pay(50n)
  one.vanish(late)
  one.refundOutcome()
  one.pay(50n, { key: late.key, txHash: late.txHash, blockHash: 'other' })
  expect(stateOf(one, late)).toBe('refunded')
  expect(one.order.refunds).toHaveLength(1)
})

test('behavior: a failed order whose money a reorg took waits for money', () => {
  const one = awaiting()
  const paid = one.pay(1000n)
  one.settle('failed')
  one.vanish(paid)
  expect(one.statuses()).toEqual(['AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'FAILED', 'AWAITING_PAYMENT'])
})

test('behavior: when what was seen is less than what is on its way back, it is not enough', () => {
  const one = awaiting()
  const first = one.pay(55n + 5n)
  one.refund(60n)
  const second = one.see(1000n)
  one.vanish(first)
  expect(one.order.status).toBe('AWAITING_PAYMENT')
  one.confirm()
  expect(stateOf(one, second)).toBe('confirmed')
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
})

test('behavior: a stray that vanishes is gone, whatever was thought of it', () => {
  const one = awaiting()
  const stray = one.pay(1000n, { asset: usdt })
  one.vanish(stray)
  expect(stateOf(one, stray)).toBe('dropped')
  one.pay(1000n)
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
})

describe('deeper than the confirmations', () => {
  const unmine = (one: Story, id = 's1') => one.tell({ type: 'settlement', id, outcome: { state: 'unmined' } })
  const atDepositOf = (one: Story) => ledgerOf(one.log).get(`deposit 8453 ${usdc.address}`)

  test('behavior: what was settled is not, until it is again; the books follow, and nobody is paid twice', () => {
    const one = completed()
    unmine(one)
    expect(one.statuses()).toEqual(['EXECUTING_ORDER'])
    expect(atDepositOf(one)).toBe(1000n)
    one.settle()
    expect(one.statuses()).toEqual(['COMPLETED'])
    expect(one.order.settlements).toHaveLength(1)
    expect(one.order.transfers).toMatchObject([{ state: 'applied' }])
    expect(atDepositOf(one)).toBe(0n)
  })

  test('behavior: coin that is back at the address is no new money', () => {
    const done = completed()
    unmine(done)
    expect(unexplained(done.order, usdc, 1000n, 10_000)).toBe(0n)
    done.settle()
    expect(unexplained(done.order, usdc, 0n, 10_000)).toBe(0n)
  })

  test.for(['payment first', 'settlement first'] as const)('behavior: payment and settlement gone, and both back: %s', (which) => {
    const one = awaiting()
    const paid = one.pay(1000n)
    one.settle()
    one.statuses()
    if (which === 'payment first') one.vanish(paid)
    unmine(one)
    if (which === 'settlement first') one.vanish(paid)
    // Nobody is asked for money while it is not known how that ends.
    expect(one.statuses()).toEqual(['EXECUTING_ORDER'])
    expect(one.refused({ type: 'choose', source: usdc, quote: undefined, signed: false })).toBe('not_payable')
    one.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
    one.confirm()
    one.settle()
    expect(one.statuses()).toEqual(['COMPLETED'])
    expect(stateOf(one, paid)).toBe('applied')
    expect(atDepositOf(one)).toBe(0n)
  })

  test.for([
    ['in time', 0, 'AWAITING_PAYMENT'],
    ['late', 31 * minute, 'EXPIRED'],
  ] as const)('behavior: the payment never comes back, %s: the order says that it failed, and what is left of it', ([, wait, end]) => {
    const one = awaiting()
    const paid = one.pay(1000n)
    one.settle()
    one.statuses()
    one.vanish(paid)
    unmine(one)
    one.wait(wait)
    one.settle('confirmed', () => false)
    expect(one.statuses()).toEqual(['EXECUTING_ORDER', 'FAILED', end])
    expect(one.order.failure).toMatchObject({ reason: expect.stringMatching(/./) })
    expect(atDepositOf(one)).toBe(0n)
    // It can be paid again, and is settled anew.
    if (end === 'EXPIRED') one.choose()
    one.pay(1000n)
    one.settle()
    expect(one.order.status).toBe('COMPLETED')
  })

  test('behavior: a settlement that was mined before its payment came back is made anew', () => {
    const one = awaiting()
    const paid = one.pay(1000n)
    one.settle()
    one.vanish(paid)
    unmine(one)
    one.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
    one.settle('confirmed', () => false)
    one.confirm()
    one.wait(minute)
    if (one.order.status === 'FAILED') one.tick()
    one.settle()
    expect(one.order.status).toBe('COMPLETED')
    expect(one.order.settlements).toHaveLength(2)
    expect(atDepositOf(one)).toBe(0n)
  })

  test('behavior: the surplus that went back with it goes back with it again', () => {
    const one = completed(payer, 1100n)
    const [refund] = one.order.refunds
    expect(refund).toMatchObject({ state: 'confirmed' })
    unmine(one)
    expect(one.order.refunds).toMatchObject([{ state: 'pending' }])
    expect(atDepositOf(one)).toBe(1100n)
    one.settle()
    expect(one.order.refunds).toMatchObject([{ state: 'confirmed', gasTaken: refund!.gasTaken }])
    expect(one.order.status).toBe('COMPLETED')
    expect(atDepositOf(one)).toBe(0n)
  })

  test('behavior: a refund that is gone goes out again; one that does not is held, and the order says so', () => {
    for (const isBack of [true, false]) {
      const one = awaiting()
      one.pay(370n)
      one.refund(370n)
      one.refundOutcome()
      expect(one.order.status).toBe('REFUNDED')
      one.refundOutcome('unmined', undefined, 'r1')
      expect(atDepositOf(one)).toBe(370n)
      expect(one.order.refunds).toMatchObject([{ state: 'pending' }])
      one.refundOutcome('confirmed', [isBack, isBack])
      expect(one.order.refunds).toMatchObject([{ state: isBack ? 'confirmed' : 'failed' }])
      expect(atDepositOf(one)).toBe(isBack ? 0n : 370n)
      if (isBack) expect(one.order.status).toBe('REFUNDED')
      else expect(one.log.some(({ fact }) => fact.type === 'became' && fact.status === 'FAILED')).toBe(true)
    }
  })
})
