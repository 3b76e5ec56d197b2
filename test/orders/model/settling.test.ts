import { expect, test } from 'vitest'
import { nextTick } from '../../../server/orders/model/ticking.ts'
import { checkWhole } from './invariants.ts'
import { awaiting, completed, legsOf, minute, payer, policy, running, stateOf } from './support.ts'

function paid(amount = 1000n, refundAddress?: string) {
  const one = awaiting({}, refundAddress)
  one.pay(amount)
  one.statuses()
  return one
}

test('default: broadcast, mined, confirmed', () => {
  const one = paid()
  const [first] = one.order.settlements
  expect(first).toMatchObject({ id: 's1', state: 'planned' })
  one.settle('mined')
  expect(one.order.settlements).toMatchObject([{ state: 'mined', txHash: '0x5e77s1' }])
  expect(one.statuses()).toEqual([])
  one.settle()
  expect(one.statuses()).toEqual(['COMPLETED'])
})

test('behavior: a settlement whose block went away is on its way again', () => {
  const one = paid()
  one.settle('unmined')
  expect(one.order.settlements).toMatchObject([{ state: 'broadcast' }])
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: what is told of a settlement that is over changes nothing', () => {
  const one = completed()
  expect(one.tell({ type: 'settlement', id: 's1', outcome: { state: 'failed', reason: 'late' } })).toEqual([])
  expect(one.tell({ type: 'settlement', id: 's9', outcome: { state: 'unmined' } })).toEqual([])
})

test('behavior: a settlement that could not be sent fails the order and holds the money', () => {
  const one = paid()
  one.settle('failed')
  expect(one.order).toMatchObject({ status: 'FAILED', failure: { reason: 'The token refused.', attempts: 1 } })
  expect(one.order.transfers).toMatchObject([{ state: 'held', reason: 'settlement_failed' }])
})

test('behavior: a recipient who cannot be paid fails the order; fees that were paid are not paid again', () => {
  const one = paid()
  one.settle('confirmed', (role) => role !== 'recipient')
  expect(one.order.status).toBe('FAILED')
  expect(nextTick(one.order, policy)).toBe(one.now + minute)
  one.wait(minute)
  one.tick()
  expect(legsOf(one)).toEqual({ recipient: 990n })
  one.settle()
  expect(one.statuses()).toEqual(['FAILED', 'EXECUTING_ORDER', 'COMPLETED'])
  checkWhole(one.order, one.log)
})

test('behavior: fees that could not be paid stay where they are, and nobody takes them for surplus', () => {
  const one = paid(1000n, payer)
  one.settle('confirmed', (role) => role === 'recipient')
  expect(one.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
})

test('behavior: fees that failed first and were paid with the retry are not kept back from a surplus', () => {
  const one = paid(1000n, payer)
  one.settle('confirmed', () => false)
  one.wait(minute)
  one.tick()
  one.settle()
  one.pay(50n)
  expect(one.order.refunds).toMatchObject([{ amount: 50n }])
})

test('behavior: a result that names no leg has paid none', () => {
  const one = paid()
  one.tell({ type: 'settlement', id: 's1', outcome: { state: 'confirmed', txHash: '0x1', paid: [] } })
  expect(one.order).toMatchObject({ status: 'FAILED', settlements: [{ paid: [false, false] }] })
  one.wait(minute)
  one.tick()
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
})

test('behavior: it is retried after each wait, then it stays failed', () => {
  const one = paid()
  for (const wait of policy.retryAfterMs) {
    one.settle('failed')
    one.wait(wait - 1)
    expect(one.tick()).toEqual([])
    one.wait(1)
    one.tick()
    expect(one.order.status).toBe('EXECUTING_ORDER')
  }
  one.settle('failed')
  one.wait(1000 * minute)
  expect(one.tick()).toEqual([])
  expect(nextTick(one.order, policy)).toBeUndefined()
  expect(one.order).toMatchObject({ status: 'FAILED', failure: { attempts: 3 } })
})

test('behavior: money that arrives for a failed order is held, and goes with the next try', () => {
  const one = paid(1000n, payer)
  one.settle('failed')
  const more = one.pay(100n)
  expect(stateOf(one, more)).toBe('held: settlement_failed')
  one.wait(minute)
  one.tick()
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n, gas: 2n, refund: 98n })
  one.settle()
  expect(stateOf(one, more)).toBe('applied')
})

test('behavior: a refund leg that fails is held and does not block the recipient', () => {
  const one = paid(1100n, payer)
  one.settle('confirmed', (role) => role !== 'refund')
  expect(one.order).toMatchObject({ status: 'COMPLETED', refunds: [{ state: 'failed', gasTaken: 2n }] })
  one.refund(98n, { address: '0x5555555555555555555555555555555555555555' })
  one.refundOutcome()
  expect(one.order.refunds.at(-1)).toMatchObject({ state: 'confirmed', amount: 98n })
})

test('behavior: a surplus whose settlement failed goes with the retry, and later money still goes back', () => {
  const one = paid(1100n, payer)
  one.settle('failed')
  one.wait(minute)
  one.tick()
  one.settle()
  expect(one.order.refunds).toMatchObject([{ state: 'failed' }, { state: 'confirmed', amount: 100n }])
  one.pay(50n)
  expect(one.order.refunds.at(-1)).toMatchObject({ amount: 50n, state: 'pending' })
})

test('behavior: at most one settlement runs, whatever arrives meanwhile', () => {
  const one = paid()
  one.settle('broadcast')
  one.pay(1000n)
  one.wait(1000 * minute)
  one.tick()
  expect(one.order.settlements).toHaveLength(1)
  expect(running(one.order)?.id).toBe('s1')
})
