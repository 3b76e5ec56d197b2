import { describe, expect, test } from 'vitest'
import { unexplained } from '../../../server/orders/model/balance.ts'
import { ledgerOf } from './invariants.ts'
import { awaiting, completed, legsOf, minute, money, payer, quoteOf, stateOf, type Story, t0, usdc, usdt } from './support.ts'

test('behavior: when seen money vanishes, the order returns to its former state', () => {
  const story = awaiting()
  const paid = story.see(1000n)
  story.vanish(paid)
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION', 'AWAITING_PAYMENT'])
  expect(money(story)).toMatchObject({ seen: 0n, received: 0n, remaining: 1000n })
})

test('behavior: seen money that vanishes after expiry leaves the order EXPIRED', () => {
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

test('behavior: when one of several transfers vanishes, the others still count', () => {
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

test('behavior: confirmed money that reappears in another block must be confirmed there', () => {
  const story = awaiting()
  const paid = story.pay(370n)
  story.see(370n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
  expect(stateOf(story, paid)).toBe('seen')
  story.vanish()
  story.confirm()
  expect(stateOf(story, paid)).toBe('confirmed')
  expect(ledgerOf(story.log).get(`deposit 8453 ${paid.asset.address}`)).toBe(370n)
})

test('behavior: a held transfer whose block vanishes is dropped', () => {
  const story = completed()
  const late = story.pay(50n)
  expect(stateOf(story, late)).toBe('held: after_settlement')
  story.vanish(late)
  expect(stateOf(story, late)).toBe('dropped')
})

test('behavior: other arrivals do not confirm a transfer of another block', () => {
  const story = awaiting()
  const gone = story.see(370n)
  for (const amount of [1n, 2n, 3n, 4n]) story.see(amount)
  expect(stateOf(story, gone)).toBe('seen')
})

test('behavior: a reorganisation after confirmation takes the order back, and its settlement pays nobody twice', () => {
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

test('behavior: a settlement mined before its payment is seen again completes the order, and the payment is applied', () => {
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

test('behavior: a replacement transfer from the payer’s wallet is applied to the finished settlement', () => {
  const story = awaiting({}, payer)
  const paid = story.pay(1000n)
  story.vanish(paid)
  story.settle()
  const again = story.pay(1000n)
  expect(stateOf(story, again)).toBe('applied')
  expect(story.order.refunds).toEqual([])
})

test('behavior: late money that vanished during its refund is refunded when it is seen again', () => {
  const story = completed(payer)
  const late = story.pay(50n)
  story.vanish(late)
  story.refundOutcome()
  story.pay(50n, { key: late.key, txHash: late.txHash, blockHash: 'other' })
  expect(stateOf(story, late)).toBe('refunded')
  expect(story.order.refunds).toHaveLength(1)
})

test('behavior: a failed order whose money was reorganised away waits for money', () => {
  const story = awaiting()
  const paid = story.pay(1000n)
  story.settle('failed')
  story.vanish(paid)
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'FAILED', 'AWAITING_PAYMENT'])
})

test('behavior: new money that only replaces money being refunded leaves the order partly paid', () => {
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

test('behavior: a stray transfer that vanishes is dropped', () => {
  const story = awaiting()
  const stray = story.pay(1000n, { asset: usdt })
  story.vanish(stray)
  expect(stateOf(story, stray)).toBe('dropped')
  story.pay(1000n)
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
})

describe('deeper than the confirmations', () => {
  const unmine = (story: Story, id = 's1') => story.handle({ type: 'settlement', id, outcome: { state: 'unmined' } })
  const atDepositOf = (story: Story) => ledgerOf(story.log).get(`deposit 8453 ${usdc.address}`)

  test('behavior: a dropped settlement reopens the order until it is mined again; the books follow, and nobody is paid twice', () => {
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

  test('behavior: coin that is back at the address is not new money', () => {
    const late = { height: 10_000, id: 'b10000' }
    const done = completed()
    unmine(done)
    expect(unexplained(done.order, usdc, 1000n, late)).toBe(0n)
    done.settle()
    expect(unexplained(done.order, usdc, 0n, late)).toBe(0n)
  })

  test.for(['payment first', 'settlement first'] as const)(
    'behavior: payment and settlement dropped, and both mined again: %s',
    (which) => {
      const story = awaiting()
      const paid = story.pay(1000n)
      story.settle()
      story.statuses()
      if (which === 'payment first') story.vanish(paid)
      unmine(story)
      if (which === 'settlement first') story.vanish(paid)
      // The order requests no money while its settlement may still come back.
      expect(story.statuses()).toEqual(['EXECUTING_ORDER'])
      expect(story.refused({ type: 'choose', source: usdc, quote: undefined, signed: false })).toBe('not_payable')
      story.see(1000n, { key: paid.key, txHash: paid.txHash, blockHash: 'other' })
      story.confirm()
      story.settle()
      expect(story.statuses()).toEqual(['COMPLETED'])
      expect(stateOf(story, paid)).toBe('applied')
      expect(atDepositOf(story)).toBe(0n)
    },
  )

  test.for([
    ['in time', 0, 'AWAITING_PAYMENT'],
    ['late', 31 * minute, 'EXPIRED'],
  ] as const)('behavior: the payment never comes back, %s: the order fails, and the remaining money is accounted for', ([, wait, end]) => {
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
    // The order can be paid again and is settled again.
    if (end === 'EXPIRED') story.choose()
    story.pay(1000n)
    story.settle()
    expect(story.order.status).toBe('COMPLETED')
  })

  test('behavior: a settlement mined before its payment came back is made anew', () => {
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

  test('behavior: a surplus refund dropped with the settlement is sent again as well', () => {
    const story = completed(payer, 1100n)
    story.refundOutcome()
    unmine(story)
    story.refundOutcome('unmined', undefined, 'r1')
    expect(story.order.refunds).toMatchObject([{ state: 'pending' }])
    expect(atDepositOf(story)).toBe(1100n)
    story.settle()
    story.refundOutcome()
    expect(story.order.refunds).toMatchObject([{ state: 'confirmed', gasTaken: 5n }])
    expect(story.order.status).toBe('COMPLETED')
    expect(atDepositOf(story)).toBe(0n)
  })

  test('behavior: a settlement that was undone and has failed is retried, although its surplus went back', () => {
    const story = completed(payer, 1100n)
    story.refundOutcome()
    unmine(story)
    story.settle('failed')
    expect(story.order.status).toBe('FAILED')
    story.wait(minute)
    story.tick()
    story.settle()
    expect(story.order.status).toBe('COMPLETED')
    expect(atDepositOf(story)).toBe(0n)
  })

  test('behavior: a dropped refund is sent again, and one that fails is held and shown on the order', () => {
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
