import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Block, Chain } from '../../server/chains/chain.ts'
import type { Order } from '../../server/domain/order.ts'
import type { Engine } from '../../server/jobs/engine.ts'
import { recordSeen } from '../../server/jobs/record.ts'
import { sweepDue } from '../../server/jobs/sweep.ts'
import { append } from '../../server/store/append.ts'
import { advanceCursor, readBlockCursor } from '../../server/store/blocks.ts'
import type { Sql } from '../../server/store/connect.ts'
import { orderById } from '../../server/store/orders.ts'
import { birthOf, ether, payer, quoteOf, rules, t0, usdc } from '../domain/support.ts'
import { type Recording, startRecording } from '../support/recording.ts'

/** Coin that only a balance shows, at addresses of which nearly all are empty. */

const head: Block = { number: 100, hash: '0x64', parentHash: '0x63', timestamp: t0 / 1000 }
const signal = AbortSignal.timeout(60_000)
let recording: Recording
let sql: Sql
let engine: Engine
let orders: Order[]
/** What each look asked about, and what it finds: the last goes on for ever. */
let asked: (readonly string[])[]
let looks: ((address: string) => bigint | Promise<bigint>)[]
let made = 0

const chain = {
  id: 8453,
  confirmations: 3,
  tokens: [{ ...ether, priceId: 'eth' }],
  head: async () => head,
  block: async (number: number) => ({ ...head, number, hash: `0x${number}` }),
  balances: (addresses: readonly string[]) => {
    asked.push(addresses)
    const look = looks[Math.min(asked.length, looks.length) - 1]!
    return Promise.all(addresses.map(look))
  },
} as unknown as Chain

beforeAll(async () => {
  recording = await startRecording()
  ;({ sql, engine } = recording)
})
afterAll(() => recording?.close())

beforeEach(async () => {
  asked = []
  await sql`update orders set status = 'PENDING'`
  await sql`delete from chain_cursors`
  await advanceCursor(sql, chain.id, undefined, [{ ...head, number: 0 }])
  orders = await Promise.all(Array.from({ length: 5 }, asksForPayment))
})

const asksForPayment = async (): Promise<Order> => {
  const number = (++made).toString(16).padStart(40, 'd')
  const birth = { ...birthOf(), id: `ord_${made}`, depositAddress: `0x${number}` }
  const order = await append(sql, undefined, [{ type: 'created', order: birth }], rules, t0)
  return (await recordSeen(engine, sql, order, () => ({ type: 'choose', source: usdc, quote: quoteOf(), signed: false }))).order
}

const sweep = () => sweepDue(engine, chain, 10, head, signal)
const holds = (order: Order, amount: bigint) => (address: string) => (address === order.depositAddress ? amount : 0n)
const transfersOf = async (order: Order) => (await orderById(sql, order.id))!.transfers

test('default: coin that no transfer brought is recorded once, at the newest final block; the rest is asked about once', async () => {
  const [, lucky, ...others] = orders as [Order, Order, ...Order[]]
  looks = [holds(lucky, 7n)]
  await sweep()
  expect(asked[0]?.toSorted()).toEqual(orders.map((one) => one.depositAddress).toSorted())
  expect(asked.slice(1)).toEqual([[lucky.depositAddress]])
  expect(await transfersOf(lucky)).toMatchObject([{ amount: 7n, block: 98, blockHash: '0x98', txHash: 'balance:1-98' }])
  for (const other of others) expect(await transfersOf(other)).toEqual([])
  expect(await readBlockCursor(sql, chain.id)).toMatchObject({ sweptAt: head.number })

  await sweep()
  expect(asked).toHaveLength(2)
  await sql`update chain_cursors set swept_at = 0`
  await sweep()
  expect(await transfersOf(lucky)).toHaveLength(1)
})

test('behavior: no books are read for addresses that hold nothing', async () => {
  looks = [() => 0n]
  await sql`update orders set state = '"unreadable"' where id = any(${orders.map(({ id }) => id)})`
  await sweep()
  expect(asked).toHaveLength(1)
})

test('behavior: what was there before the books were read, and is sent on by then, is no payment', async () => {
  const [order] = orders as [Order]
  looks = [holds(order, 7n), () => 0n]
  await sweep()
  expect(asked).toHaveLength(2)
  expect(await transfersOf(order)).toEqual([])
})

test('behavior: an order that moves on after its books were read is left to the next time', async () => {
  const [order] = orders as [Order]
  const moves = async () => {
    await append(sql, order, [{ type: 'refund_address_set', address: payer, signed: true }], rules, t0)
    return 7n
  }
  looks = [holds(order, 7n), moves]
  await sweep()
  expect(await transfersOf(order)).toEqual([])

  await sql`update chain_cursors set swept_at = 0`
  looks = [holds(order, 7n)]
  await sweep()
  expect(await transfersOf(order)).toMatchObject([{ amount: 7n }])
})
