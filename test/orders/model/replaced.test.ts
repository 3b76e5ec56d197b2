import { expect, test } from 'vitest'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { ledgerOf } from './invariants.ts'
import { awaiting, money, usdc } from './support.ts'

/** A payer may replace a transaction that waits for a block, by one that pays the order as well or by one that does not. */

const waiting = { block: undefined, blockHash: undefined, confirmations: 0 }

test('default: a replacement that still pays is one change, in which the order is never unpaid', () => {
  const story = awaiting()
  const first = story.see(1000n, waiting)
  const second = { ...first, key: 'second', txHash: '0xsecond' }
  const facts = story.handle({ type: 'arrived', transfers: [second], replaced: [{ key: first.key, by: second.txHash }] })
  expect(facts.map(({ type }) => type)).toEqual(['transfers_dropped', 'transfers_seen'])
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION'])
  expect(money(story)).toMatchObject({ received: 0n, seen: 1000n })
  expect(snapshot(story.order).payment).toMatchObject({
    funding: { transactions: [{ tx_hash: '0xsecond' }] },
    replaced: [{ tx_hash: first.txHash, replaced_by: '0xsecond', amount: { raw: '1000' } }],
  })
})

test('behavior: a payment that is replaced by another one is asked for again, and the snapshot says by which', () => {
  const story = awaiting()
  const { key } = story.see(1000n, waiting)
  story.handle({ type: 'arrived', transfers: [], replaced: [{ key, by: '0xelsewhere' }] })
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  expect(money(story)).toMatchObject({ received: 0n, seen: 0n })
  expect(snapshot(story.order).payment?.replaced).toMatchObject([{ replaced_by: '0xelsewhere' }])
})

test('behavior: a replaced transfer that is included after all counts', () => {
  const story = awaiting()
  const { key, txHash } = story.see(1000n, waiting)
  story.handle({ type: 'arrived', transfers: [], replaced: [{ key, by: '0xelsewhere' }] })
  story.pay(1000n, { key, txHash })
  expect(story.order.status).toBe('EXECUTING_ORDER')
  expect(snapshot(story.order).payment?.replaced).toBeUndefined()
})

test('behavior: what is replaced after it was confirmed leaves the books and no longer fixes the source', () => {
  const story = awaiting()
  const { key } = story.pay(1000n)
  story.settle('failed')
  story.handle({ type: 'arrived', transfers: [], replaced: [{ key, by: '0xelsewhere' }] })
  expect(story.order.fixedQuote).toBeUndefined()
  expect(ledgerOf(story.log).get(`deposit 8453 ${usdc.address}`)).toBe(0n)
  expect(['AWAITING_PAYMENT', 'PENDING']).toContain(story.order.status)
})

test('behavior: unknown transfers and those that were dropped before are not replaced again', () => {
  const story = awaiting()
  const { key } = story.see(1000n, waiting)
  story.handle({ type: 'arrived', transfers: [], replaced: [{ key, by: '0xfirst' }] })
  const again = [
    { key, by: '0xsecond' },
    { key: 'unknown', by: '0xsecond' },
  ]
  expect(story.handle({ type: 'arrived', transfers: [], replaced: again })).toEqual([])
  expect(story.order.transfers.map(({ state }) => state)).toEqual(['dropped'])
})
