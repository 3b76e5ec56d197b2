import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Order as WireOrder } from '../../src/wire/order.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { decodeJson } from '../../server/database/json.ts'
import { migrate } from '../../server/database/migrate.ts'
import { replay } from '../../server/orders/model/apply.ts'
import type { Fact } from '../../server/orders/model/facts.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { snapshot } from '../../server/orders/model/snapshot.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { orderById, ordersByDeposit } from '../../server/orders/order-queries.ts'
import { record } from '../../server/orders/record.ts'
import { organizationById } from '../../server/organizations/organizations.ts'
import { silent } from '../events/support.ts'
import { minute, policy, quoteOf, shop, t0, usdc } from '../orders/model/support.ts'
import { createEarlierDatabase, type TestDatabase } from '../support/service/database.ts'

/** Release 3.6 itself has written these rows: an order in each status, and one that holds money in another currency. */
const { orders, tables } = JSON.parse(readFileSync(new URL('../support/fixtures/release-3-6.json', import.meta.url), 'utf8')) as {
  readonly orders: Readonly<Record<string, string>>
  readonly tables: Readonly<Record<string, readonly object[]>>
}

let database: TestDatabase
let sql: Sql
let engine: Engine
let refusal: unknown
const unpaid = ['PENDING', 'AWAITING_PAYMENT', 'EXPIRED']
const ended = [...unpaid, 'COMPLETED', 'REFUNDED']
beforeAll(async () => {
  database = await createEarlierDatabase('0012')
  sql = connect(database.url)
  for (const [table, rows] of Object.entries(tables))
    await sql`
      insert into ${sql(table)} (${sql(Object.keys(rows[0]!))})
      select ${sql(Object.keys(rows[0]!))} from jsonb_populate_recordset(null::${sql(table)}, ${JSON.stringify(rows)}::text::jsonb)`
  refusal = await migrate(database.url).catch((error: unknown) => error)
  // Release 3.7 has settled or refunded the others meanwhile.
  const others = Object.entries(orders).flatMap(([name, id]) => (ended.includes(name) ? [] : [id]))
  await sql`delete from ledger where order_id in ${sql(others)}`
  await sql`update transfers set state = 'refunded' where order_id in ${sql(others)}`
  await migrate(database.url)
  engine = { sql, clock: () => t0 + minute, policy, notifyLog: () => undefined, effects: [], log: silent } as never
})
afterAll(async () => {
  await sql?.end()
  await database?.drop()
})

const read = async (status: string): Promise<Order> => (await orderById(sql, orders[status]!))!

test('error: while orders hold money that only the earlier release can move, the migration is refused and changes nothing', () => {
  expect(String(refusal)).toMatch(/\d+ orders of an earlier release hold money that only that release can move/)
})

test('default: every order is read as it was, from its state and from its log', async () => {
  for (const [name, id] of Object.entries(orders)) {
    const order = await read(name)
    if (name !== 'held') expect(order.status).toBe(name)
    const facts = await sql`select at, fact from facts where order_id = ${id} order by number`
    const folded = replay(facts.map(({ at, fact }) => ({ at: (at as Date).getTime(), fact: decodeJson<Fact>(fact) })))
    expect(folded).toEqual(order)
    expect(WireOrder.parse(JSON.parse(JSON.stringify(snapshot(order))))).toMatchObject({ id, fulfillment: { recipient: shop } })
    expect(await ordersByDeposit(sql, [order.deposits.evm!])).toEqual(new Map([[order.deposits.evm, id]]))
  }
})

test('error: an unpaid order of an earlier release takes no payment any more, and says so', async () => {
  for (const status of unpaid) {
    const recorded = await record(engine, await read(status), { type: 'choose', source: usdc, quote: quoteOf(), signed: false })
    // The price that was given before the upgrade is still shown.
    if (status === 'AWAITING_PAYMENT') expect(recorded).toMatchObject({ ok: true, facts: [] })
    else expect(recorded, status).toMatchObject({ ok: false, refusal: { code: 'no_terms' } })
  }
})

test('behavior: money that still comes to its address is recorded, and nothing is planned that cannot be done', async () => {
  const order = await read('PENDING')
  const transfer = { key: `8453:${order.id}:late`, asset: usdc, txHash: '0x500', amount: 1000n, block: 500, blockHash: 'b500' }
  const paid = await record(engine, order, { type: 'arrived', transfers: [{ ...transfer, seenAt: t0, confirmations: 3, needed: 3 }] })
  expect(paid?.order).toMatchObject({ status: 'FAILED', transfers: [{ state: 'held', amount: 1000n }] })
  expect(paid?.order.settlements).toEqual([])
})

test('behavior: its organisation has the list of one settlement that it had', async () => {
  const { organizationId } = await read('PENDING')
  const { settlements } = await organizationById(sql, organizationId)
  expect(settlements).toEqual([{ chainId: 8453, address: null, recipient: '0x', feeCollector: '0x' }])
})
