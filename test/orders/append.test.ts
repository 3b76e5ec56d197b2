import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { replay } from '../../server/orders/model/apply.ts'
import type { Fact } from '../../server/orders/model/facts.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { readOnward } from '../../server/events/log.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { transaction } from '../../server/database/transaction.ts'
import type { Deposits } from '../../server/orders/model/deposits.ts'
import type { Command } from '../../server/orders/model/commands.ts'
import { record } from '../../server/orders/record.ts'
import { append, appendIfUnchanged } from '../../server/orders/append.ts'
import type { Sql } from '../../server/database/connect.ts'
import { decodeJson } from '../../server/database/json.ts'
import { migrate } from '../../server/database/migrate.ts'
import { depositsAfter, depositsToSweep, orderById, ordersByDeposit } from '../../server/orders/order-queries.ts'
import { deleteWebhook, insertWebhook } from '../../server/webhooks/webhook-queries.ts'
import { newOrderOf, otherPayer, payer, quoteOf, policy, t0, usdc, plain } from './model/support.ts'
import type { ChainFamily } from '../../src/wire/chain-facts.ts'
import type { Order as WireOrder } from '../../src/wire/order.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'
import { until } from '../support/wait.ts'

let recording: Recording
let sql: Sql
let engine: Engine
let order: Order
let made = 0

beforeAll(async () => {
  recording = await startRecording()
  ;({ sql, engine } = recording)
})
afterAll(() => recording?.close())

beforeEach(async () => {
  const name = `ord_${++made}`
  const created = { ...newOrderOf(), id: name, deposits: { evm: name } }
  order = await append(sql, undefined, [{ type: 'created', order: created }], policy, t0)
})

const backTo = (address: string): Fact => ({ type: 'refund_address_set', address, signed: true })
const factsOf = async (id: string) =>
  (await sql`select number, at, fact from facts where order_id = ${id} order by number`).map((row) => ({
    number: row.number as number,
    at: (row.at as Date).getTime(),
    fact: decodeJson<Fact>(row.fact),
  }))
const published = async () => (await readOnward(sql, { epoch: 1, xid: '0', seq: 0 })).events.filter(({ orderId }) => orderId === order.id)
const untilPublished = (count: number) =>
  until(async () => {
    const events = await published()
    return events.length === count ? events : undefined
  })
const eventsOf = async (id: string) => (await sql`select event from events where order_id = ${id}`).length

test('behavior: deposit addresses are stored with the order, and each belongs to one order', async () => {
  const deposits = { evm: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', solana: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin' }
  const create = (id: string, deposits: Deposits) =>
    appendIfUnchanged(sql, undefined, [{ type: 'created', order: { ...newOrderOf(), id, deposits } }], policy, t0)
  const both = (await create('ord_both', deposits))!
  expect(await orderById(sql, 'ord_both')).toEqual(both)
  const owners = await ordersByDeposit(sql, [deposits.evm.toLowerCase(), deposits.evm, deposits.solana, deposits.solana.toLowerCase()])
  expect([...owners]).toEqual([
    [deposits.evm.toLowerCase(), 'ord_both'],
    [deposits.solana, 'ord_both'],
  ])
  const after = async (family: ChainFamily) => (await depositsAfter(sql, family, 'ord_bot', 1)).map(({ address }) => address)
  expect([await after('evm'), await after('solana'), await after('bitcoin')]).toEqual([[deposits.evm.toLowerCase()], [deposits.solana], []])
  await sql`update orders set status = 'AWAITING_PAYMENT' where id = 'ord_both'`
  expect(await depositsToSweep(sql, 'solana', 10)).toEqual([{ id: 'ord_both', address: deposits.solana }])

  await appendIfUnchanged(sql, both, [backTo(payer)], policy, t0)
  await expect(create('ord_thief', { evm: payer, solana: deposits.solana })).rejects.toThrow('deposits_address_key')
  expect(await orderById(sql, 'ord_thief')).toBeUndefined()
})

test('behavior: the previous release, which runs beside this one during an upgrade, finds the address where it looks', async () => {
  const [row] = await sql`select deposit_address, state from orders where id = ${order.id}`
  expect([row!.deposit_address, row!.state.depositAddress]).toEqual([order.id, order.id])
  const bare = { ...newOrderOf(), id: 'ord_bitcoin', deposits: { bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } }
  await append(sql, undefined, [{ type: 'created', order: bare }], policy, t0)
  expect((await sql`select deposit_address from orders where id = 'ord_bitcoin'`)[0]).toEqual({ deposit_address: null })
})

test('default: the order, its facts and its events are stored together', async () => {
  const after = await appendIfUnchanged(sql, order, [backTo(payer)], policy, t0)
  expect(await orderById(sql, order.id)).toEqual(after)
  const facts = await factsOf(order.id)
  expect(facts.map(({ number }) => number)).toEqual([1, 2])
  expect(replay(facts)).toEqual(after)
  expect(await eventsOf(order.id)).toBe(2)
})

test('behavior: an order that changed in the meantime is left alone, and nothing of the change is written', async () => {
  await append(sql, order, [backTo(payer)], policy, t0)
  expect(await appendIfUnchanged(sql, order, [backTo(otherPayer)], policy, t0)).toBeUndefined()
  expect(await orderById(sql, order.id)).toMatchObject({ refundAddress: payer, version: 2 })
  expect(await factsOf(order.id)).toHaveLength(2)
  expect(await eventsOf(order.id)).toBe(2)
  await expect(append(sql, order, [backTo(otherPayer)], policy, t0)).rejects.toThrow('changed under its lock')
})

test('error: a change that fails in part is not written at all', async () => {
  await sql`insert into facts (order_id, number, at, fact) values (${order.id}, 2, now(), '{}')`
  await expect(appendIfUnchanged(sql, order, [backTo(payer)], policy, t0)).rejects.toThrow('facts_pkey')
  expect(await orderById(sql, order.id)).toEqual(order)
  expect(await eventsOf(order.id)).toBe(1)
})

test('behavior: a webhook that is being deleted gets no delivery and does not block the order', async () => {
  const hook = (id: string) => ({
    id,
    url: 'https://shop.example/hook',
    events: ['ORDER_EXPIRED' as const],
    active: true,
    include_unsigned: false,
    secret: id,
  })
  await Promise.all(['wh_going', 'wh_staying'].map((id) => insertWebhook(sql, 'org_1', hook(id))))
  let changing: ReturnType<typeof append> | undefined
  await sql.begin(async (tx) => {
    await deleteWebhook(tx, 'org_1', 'wh_going')
    changing = append(sql, order, [{ type: 'became', status: 'EXPIRED' }], policy, t0)
    await until(() =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.then(
        ({ length }) => length === 1,
      ),
    )
  })
  expect(await changing).toMatchObject({ status: 'EXPIRED' })
  const owed = await sql`select webhook_id from deliveries where order_id = ${order.id}`
  expect(owed.map((row) => row.webhook_id)).toEqual(['wh_staying'])
})

test('behavior: of many concurrent changes to an order every one is applied once', async () => {
  const chosen = await record(engine, order, { type: 'choose', source: usdc, quote: quoteOf(), signed: true })
  const addresses = Array.from({ length: 30 }, (_, index) => `0x${index.toString(16).padStart(40, '5')}`)
  const results = await Promise.all(
    addresses.map((address) =>
      record(engine, chosen!.order, { type: 'choose', source: usdc, quote: undefined, refundAddress: plain(address), signed: true }),
    ),
  )
  expect(results.every((result) => result?.ok)).toBe(true)
  const facts = await factsOf(order.id)
  const recorded = facts.flatMap(({ fact }) => (fact.type === 'refund_address_set' ? [fact.address] : []))
  expect(recorded.toSorted()).toEqual(addresses.toSorted())
  expect(facts.map(({ number }) => number)).toEqual(facts.map((_, index) => index + 1))
  expect(replay(facts)).toEqual(await orderById(sql, order.id))
})

test('behavior: inside a transaction the locked order is changed, and a rollback reverts everything', async () => {
  await append(sql, order, [backTo(payer)], policy, t0)
  const undone = transaction(sql, async (tx) => {
    const choose = (current: Order): Command => {
      expect(current.refundAddress).toBe(payer)
      return { type: 'choose', source: usdc, quote: quoteOf(), refundAddress: plain(otherPayer), signed: true }
    }
    expect((await record(engine, order, choose, tx))?.ok).toBe(true)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await orderById(sql, order.id)).toMatchObject({ refundAddress: payer, version: 2 })
})

test('behavior: an order’s events are published in order, even when an older transaction commits later', async () => {
  await untilPublished(1)
  await sql.begin(async (tx) => {
    await tx`select pg_current_xact_id()`
    const between = await append(sql, order, [backTo(payer)], policy, t0)
    await append(tx, between, [backTo(otherPayer)], policy, t0)
    expect(await published()).toHaveLength(1)
  })
  const times = (await untilPublished(3)).map(({ body }) => (JSON.parse(body) as { order: WireOrder }).order.updated_at)
  expect(times).toEqual(times.toSorted())
})

test('behavior: a restored database publishes new events at once, even before any migration', async () => {
  await sql`update events set xid = '9000000000000000' where order_id = ${order.id}`
  await append(sql, order, [backTo(payer)], policy, t0)
  const [after] = await untilPublished(1)
  expect(JSON.parse(after!.body)).toMatchObject({ order: { updated_at: new Date(t0 + 1).toISOString() } })
})

test('behavior: a restored database whose transaction ids start over publishes new events', async () => {
  await sql`update events set xid = '9000000000000000' where order_id = ${order.id}`
  await migrate(recording.database.url)
  await append(sql, order, [backTo(payer)], policy, t0)
  await untilPublished(2)
})
