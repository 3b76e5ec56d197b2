import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Block } from '../../server/chains/blocks/block.ts'
import { advanceCursor } from '../../server/chains/blocks/block-cursor.ts'
import type { Chain } from '../../server/chains/chain.ts'
import { nativeBalances } from '../../server/chains/evm/native-balances.ts'
import type { Fact } from '../../server/orders/model/facts.ts'
import type { Order } from '../../server/orders/model/order.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { record } from '../../server/orders/record.ts'
import { reportToOrder } from '../../server/outgoing/settle.ts'
import { sweepDue, sweepOrder } from '../../server/incoming/sweep.ts'
import { circuitBreaker, CircuitOpen } from '../../server/lib/circuit-breaker.ts'
import { append } from '../../server/orders/append.ts'
import type { Sql } from '../../server/database/connect.ts'
import { transaction } from '../../server/database/transaction.ts'
import { depositsToSweep, orderById } from '../../server/orders/order-queries.ts'
import { newOrderOf, ether, payer, quoteOf, policy, t0, usdc } from '../orders/model/support.ts'
import { until } from '../support/wait.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'

/** Balance sweeps find native coin that no transfer shows, at addresses of which nearly all are empty. */

const head: Block = { number: 100, hash: '0x64', parentHash: '0x63', timestamp: t0 / 1000 }
const signal = new AbortController().signal
let recording: Recording
let sql: Sql
let engine: Engine
let orders: Order[]
/** The addresses of each balance read, and the results of the first reads; the last result repeats. */
let balanceReads: (readonly string[])[]
let looks: ((address: string) => bigint | Promise<bigint>)[]
let made = 0

const chainAt = (number: number) =>
  ({
    id: 8453,
    tokens: [{ ...ether, priceId: 'eth' }],
    nativeBalances: nativeBalances(
      { chainId: 8453, confirmations: 3, sweepEveryBlocks: 10 },
      {
        head: async () => ({ ...head, number }),
        block: async (number) => ({ ...head, number, hash: `0x${number}` }),
        balances: (addresses) => {
          balanceReads.push(addresses)
          const look = looks[Math.min(balanceReads.length, looks.length) - 1]!
          return Promise.all(addresses.map(look))
        },
      },
    ),
  }) as unknown as Chain
const chain = chainAt(head.number)

beforeAll(async () => {
  recording = await startRecording()
  ;({ sql, engine } = recording)
})
afterAll(() => recording?.close())

beforeEach(async () => {
  balanceReads = []
  await sql`update orders set status = 'PENDING'`
  await sql`delete from sweeps`
  await sql`delete from chain_cursors`
  await sql`delete from chain_blocks`
  await advanceCursor(
    sql,
    chain.id,
    undefined,
    [0, 98, 99].map((number) => ({ ...head, number, hash: `0x${number}` })),
  )
  orders = await Promise.all(Array.from({ length: 5 }, asksForPayment))
})

async function asksForPayment(): Promise<Order> {
  const number = (++made).toString(16).padStart(40, 'd')
  const created = { ...newOrderOf(), id: `ord_${made}`, deposits: { evm: `0x${number}` } }
  const order = await append(sql, undefined, [{ type: 'created', order: created }], policy, t0)
  return (await record(engine, order, { type: 'choose', source: usdc, quote: quoteOf(), signed: false }))!.order
}

const sweep = () => sweepDue(engine, chain, { height: head.number, id: head.hash }, signal)
const holds = (order: Order, amount: bigint) => (address: string) => (address === order.deposits.evm ? amount : 0n)
const transfersOf = async (order: Order) => (await orderById(sql, order.id))!.transfers

test('default: coin without a transfer is recorded once, at the newest final block, and only its address is read twice', async () => {
  const [, funded, ...others] = orders as [Order, Order, ...Order[]]
  looks = [holds(funded, 7n)]
  await sweep()
  expect(balanceReads[0]?.toSorted()).toEqual(orders.map((order) => order.deposits.evm).toSorted())
  expect(balanceReads.slice(1)).toEqual([[funded.deposits.evm]])
  expect(await transfersOf(funded)).toMatchObject([{ amount: 7n, block: 98, blockHash: '0x98', txHash: 'balance:1-98' }])
  for (const other of others) expect(await transfersOf(other)).toEqual([])
  expect(await sql`select height from sweeps where chain_id = ${chain.id}`).toMatchObject([{ height: head.number }])

  await sweep()
  expect(balanceReads).toHaveLength(2)
  await sql`update sweeps set height = 0`
  await sweep()
  expect(await transfersOf(funded)).toHaveLength(1)
})

test('behavior: of more orders than a sweep reads, each has its turn', async () => {
  const seen = new Set<string>()
  await until(async () => {
    const some = await depositsToSweep(sql, 'evm', 2)
    expect(some).toHaveLength(2)
    for (const { id } of some) seen.add(id)
    return orders.every(({ id }) => seen.has(id))
  })
})

test('behavior: coin that reaches an address long after its order is done is found by the slice of all addresses', async () => {
  const [done] = orders as [Order]
  await sql`update orders set status = 'REFUNDED', updated_at = now() - interval '40 days' where id = ${done.id}`
  await sql`update orders set status = 'EXPIRED', updated_at = now() - interval '40 days' where id <> ${done.id}`
  looks = [holds(done, 7n)]
  await sweep()
  expect(await transfersOf(done)).toMatchObject([{ amount: 7n, state: 'held' }])
})

test('behavior: the books of addresses without a balance are not read', async () => {
  looks = [() => 0n]
  await sql`update orders set state = '"unreadable"' where id = any(${orders.map(({ id }) => id)})`
  await sweep()
  expect(balanceReads).toHaveLength(1)
})

test('behavior: coin that was sent on between the two balance reads is not a payment', async () => {
  const [order] = orders as [Order]
  looks = [holds(order, 7n), () => 0n]
  await sweep()
  expect(balanceReads).toHaveLength(2)
  expect(await transfersOf(order)).toEqual([])
})

test('behavior: an order that changes after its books were read is left to the next sweep', async () => {
  const [order] = orders as [Order]
  const moves = async () => {
    await append(sql, order, [{ type: 'refund_address_set', address: payer, signed: true }], policy, t0)
    return 7n
  }
  looks = [holds(order, 7n), moves]
  await sweep()
  expect(await transfersOf(order)).toEqual([])

  await sql`update sweeps set height = 0`
  looks = [holds(order, 7n)]
  await sweep()
  expect(await transfersOf(order)).toMatchObject([{ amount: 7n }])
})

const leaving: Record<'settlement' | 'refund', Fact> = {
  settlement: {
    type: 'settlement_planned',
    id: 's1',
    token: ether,
    legs: [{ role: 'recipient', to: payer, amount: 7n }],
    transfers: ['8453:0x7:0'],
  },
  refund: {
    type: 'refund_planned',
    refund: { id: 'r1', asset: ether, amount: 7n, gas: 0n, address: payer, from: 'deposit', transfers: ['8453:0x7:0'], state: 'pending' },
  },
}

test.each(['settlement', 'refund'] as const)('behavior: a node that has not seen the %s yet shows no new money', async (kind) => {
  const [order] = orders as [Order]
  const onChain = { ...engine, chains: new Map([[chain.id, chain]]) } as Engine
  const at = { block: 50, blockHash: '0x50', confirmations: 1, needed: 3 }
  const transfer = { key: '8453:0x7:0', asset: ether, txHash: '0x7', amount: 7n, ...at, seenAt: t0 }
  const arrival: Fact[] = [
    { type: 'transfers_seen', transfers: [{ ...transfer, state: 'seen' }] },
    { type: 'transfers_confirmed', keys: [transfer.key] },
    { type: 'transfers_held', keys: [transfer.key], reason: 'wrong_token' },
  ]
  await append(sql, order, [...arrival, leaving[kind]], policy, t0)
  const purpose = { kind, orderId: order.id, ref: kind === 'refund' ? 'r1' : 's1' }
  const outcome = { state: 'confirmed', txHash: '0x99', position: 99, paid: [true, true], fee: 1n, gasUsed: 1n } as const
  await transaction(sql, (tx) => reportToOrder(onChain)(tx, { id: 'send', chainId: chain.id, purpose }, outcome))

  looks = [holds(order, 7n)]
  await sweepOrder(onChain, order, 'all', signal)
  expect(balanceReads).toHaveLength(2)
  expect((await transfersOf(order)).map(({ key }) => key)).toEqual([transfer.key])

  // Coin that is still there once the block of the outgoing transaction was seen is a new payment.
  await sweepOrder({ ...onChain, chains: new Map([[chain.id, chainAt(101)]]) } as Engine, order, 'all', signal)
  expect(await transfersOf(order)).toMatchObject([{}, { amount: 7n, block: 99 }])
})

test('behavior: a balance on a chain that was not swept proves nothing', async () => {
  const [order] = orders as [Order]
  looks = [holds(order, 7n)]
  await sql`update chain_blocks set hash = '0xold' where block = 98`
  await sweep()
  expect(await transfersOf(order)).toEqual([])
  await sql`update chain_blocks set hash = '0x98' where block = 98`
  await sql`update sweeps set height = 0`
  await sweep()
  expect(await transfersOf(order)).toMatchObject([{ amount: 7n }])
})

test('behavior: a chain on which every payment shows as a transfer is not swept', async () => {
  const [order] = orders as [Order]
  const { nativeBalances: _, ...plain } = chain
  looks = [holds(order, 7n)]
  await sweepDue(engine, plain, { height: head.number, id: head.hash }, signal)
  const sweepAt = (read: number | undefined) => {
    const followed = { ...plain, feed: { ...chain.feed, status: async () => ({ newest: 100, read }) } }
    return sweepOrder({ ...engine, chains: new Map([[chain.id, followed]]) } as Engine, order, 'all', signal)
  }
  await sweepAt(100)
  expect(balanceReads).toEqual([])
  // Until its chain has been read, nobody knows whether an order is unpaid.
  for (const read of [99, undefined]) await expect(sweepAt(read)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  expect([...(await sql`select height from sweeps`)]).toEqual([])
})

test('behavior: a chain that hangs is asked for one order at a time', async () => {
  const [order] = orders as [Order]
  const { nativeBalances: _, ...plain } = chain
  let asked = 0
  const hanging = {
    ...plain,
    feed: { ...chain.feed, status: () => new Promise((_resolve, reject) => void (asked++, rejects.push(reject))) },
  }
  const rejects: ((error: Error) => void)[] = []
  const breaker = circuitBreaker(0)
  const check = () => sweepOrder({ ...engine, chains: new Map([[chain.id, hanging]]) } as unknown as Engine, order, 'all', signal, breaker)
  const first = check()
  rejects.pop()!(new Error('no answer'))
  await expect(first).rejects.toThrow('no answer')
  const probe = check()
  await expect(check()).rejects.toThrow(CircuitOpen)
  expect(asked).toBe(2)
  rejects.pop()!(new Error('no answer'))
  await expect(probe).rejects.toThrow('no answer')
})
