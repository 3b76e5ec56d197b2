import { afterAll, beforeAll, expect, test } from 'vitest'
import { append } from '../../server/orders/append.ts'
import type { Fact } from '../../server/orders/model/facts.ts'
import type { Order, Transfer } from '../../server/orders/model/order.ts'
import { heldTransfers, waitingOrders } from '../../server/orders/waiting-orders.ts'
import type { Sql } from '../../server/database/connect.ts'
import { day, minute, newOrderOf, policy, usdc } from './model/support.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'

let recording: Recording
let sql: Sql
beforeAll(async () => {
  recording = await startRecording()
  ;({ sql } = recording)
})
afterAll(() => recording?.close())

const now = Date.now()
const create = (id: string, at: number): Promise<Order> =>
  append(sql, undefined, [{ type: 'created', order: { ...newOrderOf(), id, deposits: { evm: id } } }], policy, at)
const became = (status: Order['status']): Fact => ({ type: 'became', status })
const transfer = (key: string): Transfer => ({
  key,
  asset: usdc,
  txHash: key,
  amount: 5n,
  seenAt: now,
  state: 'seen',
  confirmations: 1,
  needed: 3,
  block: 1,
  blockHash: '0x1',
})
const countsOf = async (chainId = 8453) => Object.fromEntries((await heldTransfers(sql, [chainId])).map(({ age, count }) => [age, count]))

test('default: an order counts from when it got its status, and no longer once it is settled', async () => {
  const created = await create('ord_waits', now - 3 * day)
  expect((await waitingOrders(sql)).oldest).toEqual({ AWAITING_CONFIRMATION: 0, OPTIMISTIC_CONFIRMED: 0, EXECUTING_ORDER: 0 })
  const confirming = await append(sql, created, [became('AWAITING_CONFIRMATION')], policy, now - 60 * minute)
  const executing = await append(sql, confirming, [became('EXECUTING_ORDER')], policy, now - 20 * minute)
  const changed = await append(
    sql,
    executing,
    [{ type: 'refund_address_set', address: usdc.address!, signed: true }],
    policy,
    now - 10 * minute,
  )
  const { oldest } = await waitingOrders(sql)
  expect(oldest.AWAITING_CONFIRMATION).toBe(0)
  expect(oldest.EXECUTING_ORDER).toBeGreaterThanOrEqual(20 * 60)
  expect(oldest.EXECUTING_ORDER).toBeLessThan(60 * 60)
  await append(sql, changed, [became('COMPLETED')], policy, now)
  expect((await waitingOrders(sql)).oldest.EXECUTING_ORDER).toBe(0)
})

test('default: a timer that is due says for how long', async () => {
  await sql`update orders set next_tick = null`
  expect((await waitingOrders(sql)).overdue).toBe(0)
  await create('ord_due', now)
  await sql`update orders set next_tick = now() - interval '5 minutes' where id = 'ord_due'`
  expect((await waitingOrders(sql)).overdue).toBeGreaterThanOrEqual(300)
})

test('default: held money is counted by chain and by how long it has been held', async () => {
  const seen = async (id: string, at: number) => {
    const created = await create(id, now - 30 * day)
    return append(sql, created, [{ type: 'transfers_seen', transfers: [transfer(id)] }], policy, at)
  }
  const hold = (id: string): Fact => ({ type: 'transfers_held', keys: [id], reason: 'too_little' })
  await append(sql, await seen('ord_lately', now - 20 * day), [hold('ord_lately')], policy, now - 60 * minute)
  await append(sql, await seen('ord_days', now - 20 * day), [hold('ord_days')], policy, now - 3 * day)
  const old = await append(sql, await seen('ord_old', now - 20 * day), [hold('ord_old')], policy, now - 10 * day)
  expect(await countsOf()).toEqual({ day: 1, week: 1, older: 1 })
  expect(await countsOf(1)).toEqual({ day: 0, week: 0, older: 0 })

  await append(sql, old, [{ type: 'transfers_refunded', keys: ['ord_old'] }], policy, now)
  expect(await countsOf()).toEqual({ day: 1, week: 1, older: 0 })
})

test('behavior: money that strangers send to old addresses is counted up to a limit', async () => {
  await sql`
    insert into transfers (key, order_id, chain_id, tx_hash, amount, state, held_at)
    select 'dust' || n, 'ord_old', 10, 'dust', 1, 'held', now() - interval '30 days' from generate_series(1, 1500) as n`
  expect(await countsOf(10)).toEqual({ day: 0, week: 0, older: 1000 })
})
