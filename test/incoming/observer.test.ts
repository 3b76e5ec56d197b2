import { recordArrivals } from '../../server/orders/observe.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Chain } from '../../server/chains/chain.ts'
import type { Judge, Observer, Position, SeenTransfer, Verdict } from '../../server/chains/feed.ts'
import type { Sql } from '../../server/database/connect.ts'
import { observerOf } from '../../server/incoming/observer.ts'
import { append } from '../../server/orders/append.ts'
import type { Engine } from '../../server/orders/engine.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { orderById } from '../../server/orders/order-queries.ts'
import { record } from '../../server/orders/record.ts'
import { newOrderOf, policy, quoteOf, t0, usdc } from '../orders/model/support.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'

/** What a feed reports is written down on orders. The database is real, and the test speaks as the feed. */

const signal = new AbortController().signal
let recording: Recording
let sql: Sql
let observer: Observer
let orders: readonly [Order, Order]
let made = 0
/** What the feed answers about positions, by id. */
let verdicts: Map<string, Verdict>
let judged: Position[]
/** The orders whose own payouts transactions are, by hash. */
let ownPayouts: ReadonlyMap<string, ReadonlySet<string>>

const judge: Judge = async (positions) => {
  judged.push(...positions)
  return new Map([...verdicts].filter(([id]) => positions.some((position) => position.id === id)))
}
const newest: Position = { height: 110, id: 'b110' }
const review = () => observer.review(newest, judge, signal)

beforeAll(async () => {
  recording = await startRecording()
  ;({ sql } = recording)
  const payouts = { ordersOf: async () => ownPayouts, reopen: async () => true }
  const feed = { confirmationsFor: () => 3 }
  const chain = { id: 8453, tokens: [{ ...usdc, priceId: 'usdc' }], payouts, feed } as unknown as Chain
  const engine = { ...recording.engine, chains: new Map([[8453, chain]]) } as Engine
  observer = observerOf(engine, chain, async () => undefined)
})
afterAll(() => recording?.close())

beforeEach(async () => {
  await sql`delete from set_aside`
  await sql`delete from transfers`
  ;[verdicts, judged, ownPayouts] = [new Map(), [], new Map()]
  orders = [await asksForPayment(), await asksForPayment()]
})

async function asksForPayment(): Promise<Order> {
  const deposit = `0x${(++made).toString(16).padStart(40, 'd')}`
  const order = await append(
    sql,
    undefined,
    [{ type: 'created', order: { ...newOrderOf(), id: `ord_${made}`, deposits: { evm: deposit } } }],
    policy,
    t0,
  )
  return (await record(recording.engine, order, { type: 'choose', source: usdc, quote: quoteOf(), signed: false }))!.order
}

function transferTo(order: Order, more: Partial<SeenTransfer> = {}): SeenTransfer {
  const at = 'at' in more ? more.at : { height: 101, id: 'b101' }
  return {
    chainId: 8453,
    key: `8453:${order.id}:${at?.id}`,
    txHash: `0x${order.id}`,
    token: usdc.address,
    to: order.deposits.evm!,
    amount: 370n,
    seenAt: t0,
    confirmations: at ? 1 : 0,
    needed: 3,
    ...more,
    ...(at && { at }),
  }
}

const transfersOf = async ({ id }: Order) =>
  (await orderById(sql, id))!.transfers.map(({ state, confirmations, block }) => ({ state, confirmations, block }))
const factsOf = async ({ id }: Order) =>
  (await sql`select fact from facts where order_id = ${id} order by number`).map(({ fact }) => fact.type as string)
const asideOf = async ({ id }: Order) => [
  ...(await sql`select attempts, jsonb_array_length(arrivals) as arrivals from set_aside where order_id = ${id}`),
]
/** Makes the order unreadable. The returned function makes it readable again, and its retry due. */
async function damage({ id }: Order) {
  const [row] = await sql`select state from orders where id = ${id}`
  await sql`update orders set state = state - 'quotes' where id = ${id}`
  return async () => {
    await sql`update orders set state = ${sql.json(row!.state)} where id = ${id}`
    await retryNow()
  }
}
const retryNow = () => sql`update set_aside set next_at = now()`

test('default: transfers are recorded on their orders, and each review adds one fact to those that it changes', async () => {
  const [paid, other] = orders
  const before = (await factsOf(other)).length
  expect(await observer.ours([paid.deposits.evm!, '0xelsewhere'])).toEqual(new Set([paid.deposits.evm!]))
  await observer.arrived([transferTo(paid), { ...transferTo(paid), key: 'second', amount: 1n }])
  expect(await transfersOf(paid)).toEqual([
    { state: 'seen', confirmations: 1, block: 101 },
    { state: 'seen', confirmations: 1, block: 101 },
  ])
  const first = (await factsOf(paid)).length
  verdicts.set('b101', { confirmations: 2 })
  await review()
  await review()
  expect((await factsOf(paid)).slice(first)).toEqual(['transfers_progressed'])
  expect(judged).toEqual([
    { height: 101, id: 'b101' },
    { height: 101, id: 'b101' },
  ])
  verdicts.set('b101', { confirmations: 3 })
  await review()
  expect(await transfersOf(paid)).toMatchObject([{ state: 'confirmed' }, { state: 'confirmed' }])
  expect(await factsOf(other)).toHaveLength(before)
  // Nothing waits any more, so the feed is not asked.
  judged = []
  await review()
  expect(judged).toEqual([])
})

test('behavior: pending transfers at a position that is gone are dropped, and those without a verdict go on waiting', async () => {
  const [gone, unknown] = orders
  await observer.arrived([transferTo(gone), transferTo(unknown, { at: { height: 111, id: 'b111' } })])
  verdicts.set('b101', 'gone')
  await review()
  expect(await transfersOf(gone)).toMatchObject([{ state: 'dropped' }])
  expect(await transfersOf(unknown)).toMatchObject([{ state: 'seen', confirmations: 1 }])
})

test('behavior: everything above a position is dropped, whatever its state, but not what has no position', async () => {
  const [deep, unplaced] = orders
  await observer.arrived([
    transferTo(deep, { confirmations: 3 }),
    transferTo(deep, { at: { height: 100, id: 'b100' }, confirmations: 3 }),
    transferTo(unplaced, { at: undefined }),
  ])
  await observer.removedAfter({ height: 100, id: 'b100' }, signal)
  expect(await transfersOf(deep)).toMatchObject([
    { state: 'dropped', block: 101 },
    { state: 'confirmed', block: 100 },
  ])
  expect(await transfersOf(unplaced)).toEqual([{ state: 'seen', confirmations: 0, block: undefined }])
  await review()
  expect(judged).toEqual([])
  expect(await sql`select block, block_hash from transfers where order_id = ${unplaced.id}`).toEqual([{ block: null, block_hash: null }])
})

test('behavior: an order that cannot be changed is set aside with what arrives for it, the others go on, and its retry loses nothing', async () => {
  const [broken, honest] = orders
  const repair = await damage(broken)
  await observer.arrived([transferTo(broken), transferTo(honest)])
  await observer.arrived([transferTo(broken, { at: { height: 102, id: 'b102' } })])
  expect(await transfersOf(honest)).toMatchObject([{ state: 'seen' }])
  expect(await asideOf(broken)).toEqual([{ attempts: 1, arrivals: 2 }])

  await repair()
  verdicts.set('b101', 'gone').set('b102', { confirmations: 9 })
  await review()
  expect(await transfersOf(broken)).toEqual([{ state: 'confirmed', confirmations: 3, block: 102 }])
  expect(await asideOf(broken)).toEqual([])
})

test('behavior: an order stays set aside while the chain has no verdict on what arrived for it', async () => {
  const [broken] = orders
  const repair = await damage(broken)
  await observer.arrived([transferTo(broken)])
  await repair()
  await review()
  expect(await transfersOf(broken)).toEqual([])
  expect(await asideOf(broken)).toEqual([{ attempts: 2, arrivals: 1 }])
  verdicts.set('b101', { confirmations: 1 })
  await retryNow()
  await review()
  expect(await transfersOf(broken)).toEqual([{ state: 'seen', confirmations: 1, block: 101 }])
})

test('behavior: an order that could not drop what a reorganisation removed drops it at its retry', async () => {
  const [broken] = orders
  await observer.arrived([transferTo(broken, { confirmations: 3 })])
  const repair = await damage(broken)
  await observer.removedAfter({ height: 100, id: 'b100' }, signal)
  expect(await asideOf(broken)).toEqual([{ attempts: 1, arrivals: 0 }])
  await repair()
  verdicts.set('b101', 'gone')
  await review()
  expect(await transfersOf(broken)).toMatchObject([{ state: 'dropped' }])
  expect(await asideOf(broken)).toEqual([])
})

test('behavior: what the previous release stored with an order that it set aside is recorded', async () => {
  const [order] = orders
  const { chainId, address, symbol, name, decimals } = usdc
  const asset = { chainId, address, symbol, name, decimals }
  const arrival = { key: 'old', asset, txHash: '0x1', amount: { '~': '370' }, block: 101, blockHash: 'b101', seenAt: t0, needed: 3 }
  await sql`
    insert into set_aside (order_id, chain_id, arrivals, next_at, reason) values (${order.id}, 8453, ${sql.json([arrival])}, now(), 'broken')`
  verdicts.set('b101', { confirmations: 2 })
  await review()
  expect(await transfersOf(order)).toEqual([{ state: 'seen', confirmations: 2, block: 101 }])
})

test('behavior: what an order’s own payout sends back to its deposit address is not a payment, and what another’s sends is', async () => {
  const [converting, other] = orders
  ownPayouts = new Map([converting, other].map(({ id }) => [`0x${id}`, new Set([converting.id])]))
  await observer.arrived([transferTo(converting), transferTo(other)])
  expect(await transfersOf(converting)).toEqual([])
  expect(await transfersOf(other)).toHaveLength(1)
})

test('behavior: coin of a test network is never money of a live order', async () => {
  const order = await asksForPayment()
  const engine = { ...recording.engine, chains: new Map(), sees: (isLive: boolean, chainId: number) => (chainId === 84532) !== isLive }
  const worthless = { ...usdc, chainId: 84532 as const }
  const arrival = { key: 'x', asset: worthless, txHash: '0x1', amount: 1000n, seenAt: t0, confirmations: 3, needed: 3 }
  expect((await recordArrivals(engine, { ...order, isLive: true }, [arrival])).transfers).toEqual([])
  expect((await recordArrivals(engine, order, [arrival])).transfers).toMatchObject([{ state: 'held', reason: 'wrong_chain' }])
})
