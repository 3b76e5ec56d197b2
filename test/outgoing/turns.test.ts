import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../server/database/connect.ts'
import * as bitcoin from '../../server/chains/bitcoin/payouts/payout-queue.ts'
import { movesToApprove } from '../../server/chains/evm/payouts/approval-queue.ts'
import { combine } from '../../server/chains/evm/payouts/combine.ts'
import { insertSend, sendsDue } from '../../server/chains/evm/payouts/queue.ts'
import * as solana from '../../server/chains/solana/payouts/payout-queue.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

interface Queued {
  readonly id: string
  readonly tenant: string
  readonly alone?: boolean
  readonly priority?: number
}

let count = 0
const to = '0x00000000000000000000000000000000000000aa'
const purposeOf = (id: string) => ({ kind: 'settlement', orderId: id, ref: 's1' })
const evmSend = (sql: Sql, chainId: number, { id, tenant, alone = false, priority }: Queued) =>
  insertSend(sql, {
    id,
    chainId: chainId as 8453,
    to,
    data: '0x',
    value: 0n,
    tenant,
    mayShare: !alone,
    priority,
    termsHash: `0x${id}`,
    purpose: purposeOf(id),
  })
const payoutOf = (queued: Queued) => ({ ...queued, orderId: queued.id, token: null, legs: [], purpose: purposeOf(queued.id) })

const queues = {
  EVM: { enqueue: evmSend, due: sendsDue },
  Bitcoin: {
    enqueue: (sql: Sql, chainId: number, queued: Queued) => bitcoin.insertPayout(sql, chainId, payoutOf(queued)),
    due: bitcoin.payoutsDue,
  },
  Solana: {
    enqueue: (sql: Sql, chainId: number, queued: Queued) => solana.insertPayout(sql, chainId, payoutOf(queued)),
    due: solana.payoutsDue,
  },
}

describe.each(Object.entries(queues))('%s', (_, { enqueue, due }) => {
  async function enqueueAll(queued: readonly Queued[]): Promise<(limit: number) => Promise<string[]>> {
    const chainId = ++count
    for (const each of queued) await enqueue(database.sql, chainId, each)
    return async (limit) => (await due(database.sql, chainId, limit)).map(({ id }) => id.split(' ')[1]!)
  }
  /** Ids are unique in the database, and these are in the order of their requests. */
  const of = (tenant: string, amount: number, more: Partial<Queued> = {}): Queued[] =>
    Array.from({ length: amount }, (_, i) => ({ id: `${++count} ${tenant}${i + 1}`, tenant, ...more }))

  test('behavior: what a tenant has enqueued first holds up one payout of another at most', async () => {
    const idsDue = await enqueueAll([...of('a', 30, { alone: true }), ...of('b', 2, { alone: true })])
    expect(await idsDue(5)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
    expect(await idsDue(100)).toHaveLength(32)
  })

  test('behavior: a higher priority goes before turns, and one tenant’s payouts go by age', async () => {
    const idsDue = await enqueueAll([...of('late', 2, { priority: 1 }), ...of('a', 3, { alone: true }), ...of('b', 1, { alone: true })])
    expect(await idsDue(100)).toEqual(['a1', 'b1', 'a2', 'a3', 'late1', 'late2'])
  })
})

describe.each([['EVM', queues.EVM] as const, ['Bitcoin', queues.Bitcoin] as const])('%s', (_, { enqueue, due }) => {
  test('behavior: in a turn a tenant has one shared transaction, whole, and one payout that goes alone', async () => {
    const chainId = ++count
    for (let i = 1; i <= 25; i++) {
      await enqueue(database.sql, chainId, { id: `${chainId} a${i}`, tenant: 'a' })
      await enqueue(database.sql, chainId, { id: `${chainId} A${i}`, tenant: 'a', alone: true })
      await enqueue(database.sql, chainId, { id: `${chainId} b${i}`, tenant: 'b' })
    }
    const ids = (await due(database.sql, chainId, 100)).map(({ id }) => id.split(' ')[1]!)
    const range = (name: string, from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${name}${from + i}`)
    expect(ids.slice(0, 41)).toEqual([...range('a', 1, 20), 'A1', ...range('b', 1, 20)])
    expect(ids.slice(41, 52)).toEqual(['A2', ...range('a', 21, 25), ...range('b', 21, 25)])
    expect(ids.slice(52)).toEqual(range('A', 3, 25))
  })
})

test('behavior: EVM: transactions in flight count as turns, so a free slot goes to another tenant', async () => {
  const { sql } = database
  const chainId = ++count
  for (let i = 1; i <= 6; i++) await evmSend(sql, chainId, { id: `${chainId} a${i}`, tenant: 'a', alone: true })
  await sql`update sends set state = 'broadcast', operator = ${to}, nonce = position where chain_id = ${chainId} and id in ${sql([1, 2, 3].map((i) => `${chainId} a${i}`))}`
  for (let i = 1; i <= 4; i++) await evmSend(sql, chainId, { id: `${chainId} b${i}`, tenant: 'b', alone: true })
  const ids = (await sendsDue(sql, chainId, 4)).map(({ id }) => id.split(' ')[1])
  expect(ids).toEqual(['b1', 'b2', 'b3', 'a4'])
})

test('behavior: EVM: a tenant that has enqueued a thousand settlements leaves slots for fifteen others', async () => {
  const { sql } = database
  const chainId = ++count
  const { length } = await sql`
    insert into sends (id, chain_id, to_address, data, value, kind, order_id, ref, organization_id, tenant, terms_hash)
    select ${chainId} || ' a' || i, ${chainId}, ${to}, '0x', 0, 'settlement', i, 's1', 'a', 'a', '0x' || i from generate_series(1, 1000) i returning 1`
  expect(length).toBe(1_000)
  for (let i = 1; i <= 15; i++) await evmSend(sql, chainId, { id: `${chainId} shop${i}`, tenant: `shop${i}` })
  const transactions = combine(await sendsDue(sql, chainId, 16 * 20), 16)
  expect(transactions.map(([{ tenant }]) => tenant)).toEqual(['a', ...Array.from({ length: 15 }, (_, i) => `shop${i + 1}`)])
  expect(transactions.map(({ length }) => length)).toEqual([20, ...Array.from({ length: 15 }, () => 1)])
})

test('behavior: EVM: a guard signs for tenants in turn, whoever has asked for an order', async () => {
  const { sql } = database
  const chainId = ++count
  const move = { terms: { guard: '0xguard' } }
  for (const [name, tenant, priority] of [
    ['a1', 'a', 0],
    ['a2', 'a', 0],
    ['a3', 'a', 0],
    ['b1', 'b', 1],
  ] as const)
    await sql`
      insert into sends (id, chain_id, to_address, data, value, kind, order_id, ref, organization_id, priority, move)
      values (${`${chainId} ${name}`}, ${chainId}, ${to}, '0x', 0, 'refund', ${name}, 'r1', ${tenant}, ${priority}, ${sql.json(move)})`
  const ids = (await movesToApprove(sql, chainId, '0xguard', 3)).map(({ id }) => id.split(' ')[1])
  expect(ids).toEqual(['a1', 'b1', 'a2'])
})
