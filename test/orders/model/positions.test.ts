import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { apply, replay } from '../../../server/orders/model/apply.ts'
import type { Fact } from '../../../server/orders/model/facts.ts'
import type { Order, Transfer } from '../../../server/orders/model/order.ts'
import { decodeJson } from '../../../server/database/json.ts'
import { ledgerOf } from './invariants.ts'
import { awaiting, minute, money, newOrderOf, quoteOf, stateOf, t0, usdc } from './support.ts'

/** A transfer's position on its chain: one that is not included yet has none, and earlier releases knew only blocks. */

const unplaced = { block: undefined, blockHash: undefined, confirmations: 0 }

test('behavior: a transfer that its chain has not included yet is seen and never confirmed, and counts once when it is included', () => {
  const story = awaiting()
  const paid = story.see(1000n, unplaced)
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION'])
  expect(story.handle({ type: 'progress', chainId: 8453, progress: [{ id: 'b200', confirmations: 9 }] })).toEqual([])
  const { key, txHash } = paid
  story.wait(minute)
  const included = story.see(1000n, { key, txHash })
  expect(story.order.transfers).toEqual([{ ...included, seenAt: paid.seenAt, state: 'seen', confirmations: 1 }])
  expect(story.log.map(({ fact }) => fact.type)).not.toContain('transfers_dropped')
  story.confirm()
  expect(story.order.status).toBe('EXECUTING_ORDER')
  expect(money(story)).toMatchObject({ received: 1000n, seen: 0n })
})

test('behavior: an included transfer that waits for inclusion again starts over, and the books follow', () => {
  const story = awaiting()
  const { key, txHash } = story.pay(370n)
  const waiting = story.see(370n, { key, txHash, ...unplaced })
  expect(stateOf(story, waiting)).toBe('seen')
  expect(story.order.transfers[0]?.block).toBeUndefined()
  expect(ledgerOf(story.log).get(`deposit 8453 ${usdc.address}`)).toBe(0n)
  story.pay(370n, { key, txHash })
  expect(stateOf(story, waiting)).toBe('confirmed')
  expect(ledgerOf(story.log).get(`deposit 8453 ${usdc.address}`)).toBe(370n)
})

test('behavior: the fact of a progress names positions, however many transfers are there', () => {
  const story = awaiting()
  const many = Array.from({ length: 300 }, (_, index): Transfer => ({ ...seenIn('b101'), key: `8453:0xd:${index}`, amount: 1n }))
  story.handle({ type: 'arrived', transfers: many })
  const [fact, ...others] = story.handle({
    type: 'progress',
    chainId: 8453,
    progress: [
      { id: 'b101', confirmations: 2 },
      { id: 'b102', confirmations: 1 },
    ],
  })
  expect(others).toEqual([])
  expect(fact).toEqual({ type: 'transfers_progressed', chainId: 8453, progress: [{ id: 'b101', confirmations: 2 }] })
})

const seenIn = (blockHash: string, block = 101): Transfer => ({
  key: '8453:0x1:0',
  asset: usdc,
  txHash: '0x1',
  amount: 370n,
  block,
  blockHash,
  seenAt: t0,
  state: 'seen',
  confirmations: 1,
  needed: 12,
})

/** This text is what release 3.6 stored for an order that was partly paid, reorganised, paid in full and settled. */
const stored = `[
  {"type":"transfers_seen","transfers":[{"key":"8453:0x1:4","asset":{"chainId":8453,"address":"${usdc.address}","symbol":"USDC","name":"USD Coin","decimals":6},
    "txHash":"0x1","amount":{"~":"370"},"block":100,"blockHash":"b100","seenAt":${t0},"needed":3,"state":"seen","confirmations":1}]},
  {"type":"transfers_progressed","chainId":8453,"head":101},
  {"type":"transfers_seen","transfers":[{"key":"8453:0x2:-1","asset":{"chainId":8453,"address":"${usdc.address}","symbol":"USDC","name":"USD Coin","decimals":6},
    "txHash":"0x2","amount":{"~":"630"},"block":102,"blockHash":"b102","seenAt":${t0},"needed":3,"state":"seen","confirmations":1}]},
  {"type":"transfers_progressed","chainId":8453,"head":103},
  {"type":"transfers_confirmed","keys":["8453:0x1:4"]},
  {"type":"transfers_dropped","keys":["8453:0x2:-1"]},
  {"type":"transfers_seen","transfers":[{"key":"8453:0x2:-1","asset":{"chainId":8453,"address":"${usdc.address}","symbol":"USDC","name":"USD Coin","decimals":6},
    "txHash":"0x2","amount":{"~":"630"},"block":104,"blockHash":"c104","seenAt":${t0},"needed":3,"state":"seen","confirmations":1}]},
  {"type":"transfers_progressed","chainId":8453,"head":150},
  {"type":"transfers_progressed","chainId":1,"head":9000},
  {"type":"transfers_confirmed","keys":["8453:0x2:-1"]},
  {"type":"settlement_planned","id":"s1","token":{"chainId":8453,"address":"${usdc.address}","symbol":"USDC","name":"USD Coin","decimals":6},
    "legs":[],"transfers":["8453:0x1:4","8453:0x2:-1"]},
  {"type":"settlement_confirmed","id":"s1","txHash":"0x5","block":160,"paid":[]},
  {"type":"transfers_applied","keys":["8453:0x1:4","8453:0x2:-1"]},
  {"type":"transfer_moved","key":"8453:0x1:4","block":105,"blockHash":"d105"}
]`

test('behavior: the log of an earlier release folds into the same order', () => {
  const facts: readonly Fact[] = [{ type: 'created', order: newOrderOf({}, quoteOf()) }, ...decodeJson<Fact[]>(JSON.parse(stored))]
  const upTo = (count: number) => replay(facts.slice(0, count).map((fact) => ({ fact, at: t0 }))) as Order
  const confirmationsAfter = (count: number) => upTo(count).transfers.map(({ confirmations }) => confirmations)
  expect([3, 5, 7, 8].map(confirmationsAfter)).toEqual([[2], [3, 2], [3, 0], [3, 1]])
  const order = upTo(facts.length)
  expect(order.transfers).toEqual([
    { ...seenIn('d105', 105), key: '8453:0x1:4', state: 'applied', confirmations: 3, needed: 3 },
    { ...seenIn('c104', 104), key: '8453:0x2:-1', txHash: '0x2', amount: 630n, state: 'applied', confirmations: 3, needed: 3 },
  ])
  expect(order.settlements).toMatchObject([{ id: 's1', state: 'confirmed', block: 160 }])
})

test('property: a head of an earlier release counts as many confirmations as the progress that is stored today', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 90, max: 120 }), { maxLength: 6 }), fc.integer({ min: 80, max: 140 }), (blocks, head) => {
      const created = apply(undefined, { type: 'created', order: newOrderOf({}, quoteOf()) }, t0)
      const transfers = blocks.map((block, index) => ({ ...seenIn(`b${block}`, block), key: `k${index}`, confirmations: 0 }))
      const seen = apply(created, { type: 'transfers_seen', transfers }, t0)
      const progress = blocks.map((block) => ({ id: `b${block}`, confirmations: Math.max(0, head - block + 1) }))
      expect(apply(seen, { type: 'transfers_progressed', chainId: 8453, progress }, t0)).toEqual(
        apply(seen, { type: 'transfers_progressed', chainId: 8453, head }, t0),
      )
    }),
  ))
