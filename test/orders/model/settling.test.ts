import { expect, test } from 'vitest'
import { nextTick } from '../../../server/orders/model/ticking.ts'
import { checkWhole } from './invariants.ts'
import { awaiting, completed, legsOf, minute, payer, policy, running, stateOf } from './support.ts'

function paid(amount = 1000n, refundAddress?: string) {
  const story = awaiting({}, refundAddress)
  story.pay(amount)
  story.statuses()
  return story
}

test('default: broadcast, mined, confirmed', () => {
  const story = paid()
  const [first] = story.order.settlements
  expect(first).toMatchObject({ id: 's1', state: 'planned' })
  story.settle('mined')
  expect(story.order.settlements).toMatchObject([{ state: 'mined', txHash: '0x5e77s1' }])
  expect(story.statuses()).toEqual([])
  story.settle()
  expect(story.statuses()).toEqual(['COMPLETED'])
})

test('behavior: a settlement whose block was dropped is in flight again', () => {
  const story = paid()
  story.settle('unmined')
  expect(story.order.settlements).toMatchObject([{ state: 'broadcast' }])
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: reports on a finished settlement change nothing', () => {
  const story = completed()
  expect(story.handle({ type: 'settlement', id: 's1', outcome: { state: 'failed', reason: 'late' } })).toEqual([])
  expect(story.handle({ type: 'settlement', id: 's9', outcome: { state: 'unmined' } })).toEqual([])
})

test('behavior: a settlement that could not be sent fails the order and holds the money', () => {
  const story = paid()
  story.settle('failed')
  expect(story.order).toMatchObject({ status: 'FAILED', failure: { reason: 'The token refused.', attempts: 1 } })
  expect(story.order.transfers).toMatchObject([{ state: 'held', reason: 'settlement_failed' }])
})

test('behavior: a recipient who cannot be paid fails the order, and then no fees were paid either', () => {
  const story = paid()
  story.settle('confirmed', (role) => role !== 'recipient')
  expect(story.order.status).toBe('FAILED')
  expect(nextTick(story.order, policy)).toBe(story.now + minute)
  story.wait(minute)
  story.tick()
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  story.settle()
  expect(story.statuses()).toEqual(['FAILED', 'EXECUTING_ORDER', 'COMPLETED'])
  checkWhole(story.order, story.log)
})

test('behavior: fees that could not be paid stay at the address and do not count as surplus', () => {
  const story = paid(1000n, payer)
  story.settle('confirmed', (role) => role === 'recipient')
  expect(story.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
})

test('behavior: fees paid only by the retry are not deducted from a surplus', () => {
  const story = paid(1000n, payer)
  story.settle('confirmed', () => false)
  story.wait(minute)
  story.tick()
  story.settle()
  story.pay(50n)
  expect(story.order.refunds).toMatchObject([{ amount: 50n }])
})

test('behavior: a result without legs has paid none', () => {
  const story = paid()
  story.handle({ type: 'settlement', id: 's1', outcome: { state: 'confirmed', txHash: '0x1', paid: [] } })
  expect(story.order).toMatchObject({ status: 'FAILED', settlements: [{ paid: [false, false] }] })
  story.wait(minute)
  story.tick()
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
})

test('behavior: a failed settlement is retried after each wait, and then stays failed', () => {
  const story = paid()
  for (const wait of policy.retryAfterMs) {
    story.settle('failed')
    story.wait(wait - 1)
    expect(story.tick()).toEqual([])
    story.wait(1)
    story.tick()
    expect(story.order.status).toBe('EXECUTING_ORDER')
  }
  story.settle('failed')
  story.wait(1000 * minute)
  expect(story.tick()).toEqual([])
  expect(nextTick(story.order, policy)).toBeUndefined()
  expect(story.order).toMatchObject({ status: 'FAILED', failure: { attempts: 3 } })
})

test('behavior: money that arrives for a failed order is held, and goes back once a retry has settled', () => {
  const story = paid(1000n, payer)
  story.settle('failed')
  const more = story.pay(100n)
  expect(stateOf(story, more)).toBe('held: settlement_failed')
  story.wait(minute)
  story.tick()
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  story.settle()
  expect(story.order.refunds).toMatchObject([{ amount: 100n, state: 'pending' }])
  story.refundOutcome()
  expect(stateOf(story, more)).toBe('applied')
  checkWhole(story.order, story.log)
})

test('behavior: a surplus that its address did not take is held, and the merchant can send it elsewhere', () => {
  const story = paid(1100n, payer)
  story.settle()
  story.refundOutcome('confirmed', [false, true])
  expect(story.order).toMatchObject({ status: 'COMPLETED', refunds: [{ state: 'failed', gasTaken: 5n }] })
  story.refund(95n, { address: '0x5555555555555555555555555555555555555555' })
  story.refundOutcome()
  expect(story.order.refunds.at(-1)).toMatchObject({ state: 'confirmed', amount: 95n })
})

test('behavior: a surplus goes back only once a settlement has succeeded, and later money does too', () => {
  const story = paid(1100n, payer)
  story.settle('failed')
  expect(story.order.refunds).toEqual([])
  story.wait(minute)
  story.tick()
  story.settle()
  story.refundOutcome()
  expect(story.order.refunds).toMatchObject([{ state: 'confirmed', amount: 100n }])
  story.pay(50n)
  expect(story.order.refunds.at(-1)).toMatchObject({ amount: 50n, state: 'pending' })
})

test('behavior: at most one settlement runs, whatever arrives meanwhile', () => {
  const story = paid()
  story.settle('broadcast')
  story.pay(1000n)
  story.wait(1000 * minute)
  story.tick()
  expect(story.order.settlements).toHaveLength(1)
  expect(running(story.order)?.id).toBe('s1')
})
