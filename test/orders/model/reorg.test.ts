import { describe, expect, test } from 'vitest'
import { unexplained } from '../../../server/orders/model/balance.ts'
import { ledgerOf } from './invariants.ts'
import { awaiting, completed, legsOf, minute, money, payer, quoteOf, stateOf, type Story, t0, usdc, usdt } from './support.ts'

test('behavior: seen money that vanishes leaves the order as it was', () => {
  const story = awaiting()
  const paid = story.see(1000n)
  story.vanish(paid)
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION', 'AWAITING_PAYMENT'])
  expect(money(story)).toMatchObject({ seen: 0n, received: 0n, remaining: 1000n })
})

test('behavior: after its time it is EXPIRED again', () => {
  const story = awaiting()
  const paid = story.see(1000n)
  story.wait(31 * minute)
  story.vanish(paid)
  expect(story.order.status).toBe('EXPIRED')
})

test('behavior: late money that arrived while a settlement kept its price valid still counts after that settlement has failed', () => {
  const story = awaiting()
  story.choose({ source: usdt, quote: quoteOf({ source: usdt, moves: true, expiresAt: t0 + 30 * minute }) })
  const paid = story.pay(1000n, { asset: usdt })
  expect(story.order.status).toBe('EXECUTING_ORDER')
  story.settle('broadcast')
  story.wait(31 * minute)
  story.vanish(paid)
  const late = story.pay(900n, { asset: usdt })
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  story.settle('failed')
  expect(stateOf(story, late)).toBe('confirmed')
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  expect(story.order.fixedQuote).toBeUndefined()
  expect(money(story)).toMatchObject({ received: 900n, remaining: 100n })
})

test('behavior: of several transfers the rest still counts', () => {
  const story = awaiting()
  story.pay(370n)
  const rest = story.see(630n)
  story.vanish(rest)
  expect(story.statuses()).toEqual(['PARTIAL_PAYMENT', 'AWAITING_CONFIRMATION', 'PARTIAL_PAYMENT'])
})

test('behavior: money that is mined again counts once', () => {
  const story = awaiting()
  const paid = story.see(1000n)
  story.vanish(paid)
  story.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  story.confirm()
  story.settle()
  expect(story.order.transfers).toHaveLength(1)
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: confirmed money that shows up in another block must be confirmed there', () => {
  const story = awaiting()
  const paid = story.pay(370n)
  story.see(370n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  expect(stateOf(story, paid)).toBe('seen')
  story.vanish()
  story.confirm()
  expect(stateOf(story, paid)).toBe('confirmed')
  expect(ledgerOf(story.log).get(`deposit 8453 ${paid.asset.address}`)).toBe(370n)
})

test('behavior: what was thought of a transfer goes with its block', () => {
  const story = completed()
  const late = story.pay(50n)
  expect(stateOf(story, late)).toBe('held: after_settlement')
  story.vanish(late)
  expect(stateOf(story, late)).toBe('dropped')
})

test('behavior: an arrival vouches for its own block only', () => {
  const story = awaiting()
  const gone = story.see(370n)
  for (const amount of [1n, 2n, 3n, 4n]) story.see(amount)
  expect(stateOf(story, gone)).toBe('seen')
})

test('behavior: a reorg after confirmation takes the order back, and its settlement pays nobody twice', () => {
  const story = awaiting()
  const paid = story.pay(1000n)
  story.settle('broadcast')
  story.vanish(paid)
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  story.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  story.settle('confirmed', () => false)
  expect(story.order.status).toBe('AWAITING_CONFIRMATION')
  story.confirm()
  expect(story.order.settlements).toHaveLength(2)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: a settlement that went through before its money was seen again completes the order, and the money is applied', () => {
  const story = awaiting()
  const paid = story.pay(1000n)
  story.vanish(paid)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
  expect(stateOf(story, paid)).toBe('dropped')
  story.pay(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  expect(stateOf(story, paid)).toBe('applied')
  expect(ledgerOf(story.log).get(`deposit 8453 ${paid.asset.address}`)).toBe(0n)
})

test('behavior: also when the payer’s wallet sent it as another transaction', () => {
  const story = awaiting({}, payer)
  const paid = story.pay(1000n)
  story.vanish(paid)
  story.settle()
  const again = story.pay(1000n)
  expect(stateOf(story, again)).toBe('applied')
  expect(story.order.refunds).toEqual([])
})

test('behavior: late money that vanished while it went back is refunded when it is seen again', () => {
  const story = completed(payer)
  const late = story.pay(50n)
  story.vanish(late)
  story.refundOutcome()
  story.pay(50n, { key: late.key, txHash: late.txHash, blockHash: 'other' })
  expect(stateOf(story, late)).toBe('refunded')
  expect(story.order.refunds).toHaveLength(1)
})

test('behavior: a failed order whose money a reorg took waits for money', () => {
  const story = awaiting()
  const paid = story.pay(1000n)
  story.settle('failed')
  story.vanish(paid)
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'FAILED', 'AWAITING_PAYMENT'])
})

test('behavior: when what was seen is less than what is on its way back, it is not enough', () => {
  const story = awaiting()
  const first = story.pay(55n + 5n)
  story.refund(60n)
  const second = story.see(1000n)
  story.vanish(first)
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  story.confirm()
  expect(stateOf(story, second)).toBe('confirmed')
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
})

test('behavior: a stray that vanishes is gone, whatever was thought of it', () => {
  const story = awaiting()
  const stray = story.pay(1000n, { asset: usdt })
  story.vanish(stray)
  expect(stateOf(story, stray)).toBe('dropped')
  story.pay(1000n)
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
})

describe('deeper than the confirmations', () => {
  const unmine = (story: Story, id = 's1') => story.tell({ type: 'settlement', id, outcome: { state: 'unmined' } })
  const atDepositOf = (story: Story) => ledgerOf(story.log).get(`deposit 8453 ${usdc.address}`)

  test('behavior: what was settled is not, until it is again; the books follow, and nobody is paid twice', () => {
    const story = completed()
    unmine(story)
    expect(story.statuses()).toEqual(['EXECUTING_ORDER'])
    expect(atDepositOf(story)).toBe(1000n)
    story.settle()
    expect(story.statuses()).toEqual(['COMPLETED'])
    expect(story.order.settlements).toHaveLength(1)
    expect(story.order.transfers).toMatchObject([{ state: 'applied' }])
    expect(atDepositOf(story)).toBe(0n)
  })

  test('behavior: coin that is back at the address is no new money', () => {
    const done = completed()
    unmine(done)
    expect(unexplained(done.order, usdc, 1000n, 10_000)).toBe(0n)
    done.settle()
    expect(unexplained(done.order, usdc, 0n, 10_000)).toBe(0n)
  })

  test.for(['payment first', 'settlement first'] as const)('behavior: payment and settlement gone, and both back: %s', (which) => {
    const story = awaiting()
    const paid = story.pay(1000n)
    story.settle()
    story.statuses()
    if (which === 'payment first') story.vanish(paid)
    unmine(story)
    if (which === 'settlement first') story.vanish(paid)
    // Nobody is asked for money while it is not known how that ends.
    expect(story.statuses()).toEqual(['EXECUTING_ORDER'])
    expect(story.refused({ type: 'choose', source: usdc, quote: undefined, signed: false })).toBe('not_payable')
    story.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
    story.confirm()
    story.settle()
    expect(story.statuses()).toEqual(['COMPLETED'])
    expect(stateOf(story, paid)).toBe('applied')
    expect(atDepositOf(story)).toBe(0n)
  })

  test.for([
    ['in time', 0, 'AWAITING_PAYMENT'],
    ['late', 31 * minute, 'EXPIRED'],
  ] as const)('behavior: the payment never comes back, %s: the order says that it failed, and what is left of it', ([, wait, end]) => {
    const story = awaiting()
    const paid = story.pay(1000n)
    story.settle()
    story.statuses()
    story.vanish(paid)
    unmine(story)
    story.wait(wait)
    story.settle('confirmed', () => false)
    expect(story.statuses()).toEqual(['EXECUTING_ORDER', 'FAILED', end])
    expect(story.order.failure).toMatchObject({ reason: expect.stringMatching(/./) })
    expect(atDepositOf(story)).toBe(0n)
    // It can be paid again, and is settled anew.
    if (end === 'EXPIRED') story.choose()
    story.pay(1000n)
    story.settle()
    expect(story.order.status).toBe('COMPLETED')
  })

  test('behavior: a settlement that was mined before its payment came back is made anew', () => {
    const story = awaiting()
    const paid = story.pay(1000n)
    story.settle()
    story.vanish(paid)
    unmine(story)
    story.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
    story.settle('confirmed', () => false)
    story.confirm()
    story.wait(minute)
    if (story.order.status === 'FAILED') story.tick()
    story.settle()
    expect(story.order.status).toBe('COMPLETED')
    expect(story.order.settlements).toHaveLength(2)
    expect(atDepositOf(story)).toBe(0n)
  })

  test('behavior: the surplus that went back with it goes back with it again', () => {
    const story = completed(payer, 1100n)
    const [refund] = story.order.refunds
    expect(refund).toMatchObject({ state: 'confirmed' })
    unmine(story)
    expect(story.order.refunds).toMatchObject([{ state: 'pending' }])
    expect(atDepositOf(story)).toBe(1100n)
    story.settle()
    expect(story.order.refunds).toMatchObject([{ state: 'confirmed', gasTaken: refund!.gasTaken }])
    expect(story.order.status).toBe('COMPLETED')
    expect(atDepositOf(story)).toBe(0n)
  })

  test('behavior: a refund that is gone goes out again; one that does not is held, and the order says so', () => {
    for (const isBack of [true, false]) {
      const story = awaiting()
      story.pay(370n)
      story.refund(370n)
      story.refundOutcome()
      expect(story.order.status).toBe('REFUNDED')
      story.refundOutcome('unmined', undefined, 'r1')
      expect(atDepositOf(story)).toBe(370n)
      expect(story.order.refunds).toMatchObject([{ state: 'pending' }])
      story.refundOutcome('confirmed', [isBack, isBack])
      expect(story.order.refunds).toMatchObject([{ state: isBack ? 'confirmed' : 'failed' }])
      expect(atDepositOf(story)).toBe(isBack ? 0n : 370n)
      if (isBack) expect(story.order.status).toBe('REFUNDED')
      else expect(story.log.some(({ fact }) => fact.type === 'became' && fact.status === 'FAILED')).toBe(true)
    }
  })
})
