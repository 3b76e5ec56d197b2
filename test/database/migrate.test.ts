import { afterAll, beforeAll, expect, test } from 'vitest'
import { replay } from '../../server/orders/model/apply.ts'
import type { Fact } from '../../server/orders/model/facts.ts'
import { closing } from '../../server/orders/model/funding.ts'
import type { Order, Transfer } from '../../server/orders/model/order.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { decodeJson, encodeJson } from '../../server/database/json.ts'
import { migrate } from '../../server/database/migrate.ts'
import { orderById, ordersByDeposit } from '../../server/orders/order-queries.ts'
import { newOrderOf, minute, quoteOf, t0, usdc } from '../orders/model/support.ts'
import { createEarlierDatabase, type TestDatabase } from '../support/service/database.ts'

/** Builds a database as release 3.4 left it, with unfinished orders. */

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createEarlierDatabase('0007')
  sql = connect(database.url)
  await sql`
    insert into organizations (id, name, is_live, settlement_chain_id, settlement_recipient, fee_collector, fees)
    values ('org_1', 'Northwind Coffee', true, 8453, '0x', '0x', '{}')`
})
afterAll(async () => {
  await sql?.end()
  await database?.drop()
})

const transfer: Transfer = {
  key: '8453:0x1:0',
  asset: usdc,
  txHash: '0x1',
  amount: 370n,
  block: 10,
  blockHash: 'b10',
  seenAt: t0,
  state: 'seen',
  confirmations: 1,
  needed: 3,
}

/** The facts that replace those events after the migration, except `source_fixed`, which depends on what was seen. */
const asToday: readonly (Fact | undefined)[] = [
  { type: 'created', order: newOrderOf() },
  { type: 'quoted', quote: quoteOf({ id: 1 }), expiresAt: t0 + 30 * minute },
  { type: 'became', status: 'AWAITING_PAYMENT' },
  { type: 'transfers_seen', transfers: [transfer] },
  undefined,
  { type: 'transfers_progressed', chainId: 8453, head: 12 },
  { type: 'transfers_confirmed', keys: [transfer.key] },
  { type: 'became', status: 'PARTIAL_PAYMENT' },
]

function asOf34(fact: Fact | undefined): object {
  if (!fact) return { type: 'source_fixed', quoteId: 1 }
  switch (fact.type) {
    case 'created': {
      const { deposits, ...order } = fact.order
      return { ...fact, order: { ...order, depositAddress: deposits.evm } }
    }
    case 'transfers_seen':
      return { type: 'transfer_seen', transfer: fact.transfers[0] }
    case 'transfers_progressed':
      return { type: 'transfer_progressed', key: transfer.key, confirmations: 3 }
    case 'transfers_confirmed':
      return { type: 'transfer_confirmed', key: fact.keys[0] }
    default:
      return fact
  }
}

const withoutMoves = (text: string): string => text.replaceAll(/,"moves":(true|false)/g, '')

async function insertOrder(id: string, log: readonly (Fact | undefined)[], signature?: string): Promise<void> {
  const facts = log.map((fact): Fact => {
    if (fact?.type === 'created') return { ...fact, order: { ...fact.order, id, deposits: { evm: `0x${id}` } } }
    return fact ?? { type: 'source_fixed', quoteId: 1 }
  })
  const { deposits, ...order } = replay(facts.map((fact) => ({ fact, at: t0 }))) as Order
  const state = { ...order, depositAddress: deposits.evm }
  const at = new Date(state.updatedAt)
  await sql`
    insert into orders (id, organization_id, mode, status, deposit_address, version, state, created_at, updated_at)
    values (${id}, 'org_1', 'SALE', ${state.status}, ${`0x${id}`}, ${state.version}, ${withoutMoves(encodeJson(state))}::text::jsonb, ${at}, ${at})`
  for (const [index, fact] of facts.entries()) {
    const old = withoutMoves(encodeJson(asOf34(log[index] ? fact : undefined)))
    await sql`insert into facts (order_id, number, at, fact) values (${id}, ${index + 1}, ${new Date(t0)}, ${old}::text::jsonb)`
  }
  if (state.transfers.length > 0)
    await sql`
      insert into transfers (key, order_id, chain_id, token, tx_hash, amount, block, block_hash, state)
      values (${transfer.key}, ${id}, 8453, ${usdc.address}, '0x1', 370, 10, 'b10', 'confirmed')`
  if (signature !== undefined)
    await sql`
      insert into x402_authorizations (id, order_id, chain_id, network, asset, payer, nonce, pay_to, value, valid_before, signature, state)
      values (${signature}, ${id}, 8453, 'eip155:8453', '0x', '0x', ${signature}, '0x', 1000, 1, '0x', 'pending')`
}

async function readBack(id: string) {
  const facts = await sql`select at, fact from facts where order_id = ${id} order by number`
  return {
    order: (await orderById(sql, id)) as Order,
    replayed: replay(facts.map((row) => ({ fact: decodeJson<Fact>(row.fact), at: (row.at as Date).getTime() }))),
  }
}

test('behavior: migrated orders continue as their log says, and the log matches the orders', async () => {
  const [created, quoted, awaiting, , fixed] = asToday
  await insertOrder('ord_partial', asToday)
  await insertOrder('ord_signed', [created, quoted, awaiting, fixed], 'x402_1')
  await insertOrder('ord_new', [created])
  await sql`insert into chain_cursors (chain_id, block, hash, swept_at) values (8453, 120, 'b120', 110)`
  await migrate(database.url)

  const partial = await readBack('ord_partial')
  expect(partial.order.fixedQuote).toBeUndefined()
  expect(closing(partial.order)).toMatchObject({ because: 'begun', quote: { id: 1, moves: false } })
  const signed = await readBack('ord_signed')
  expect(closing(signed.order)).toMatchObject({ because: 'claimed', quote: { id: 1 } })
  const fresh = await readBack('ord_new')
  expect(fresh.order).toMatchObject({ status: 'PENDING', version: 1 })
  for (const { order, replayed } of [partial, signed, fresh]) expect(replayed).toEqual(order)
  expect(await sql`select height, order_id from sweeps where chain_id = 8453`).toEqual([{ height: 110, order_id: '' }])
  expect(fresh.order.deposits).toEqual({ evm: '0xord_new' })

  // The previous release goes on creating orders beside this one, and knows only the column.
  await insertOrder('ord_beside', [created])
  const owners = await ordersByDeposit(sql, ['0xord_partial', '0xord_signed', '0xord_new', '0xord_beside', '0xelsewhere'])
  expect(Object.fromEntries(owners)).toEqual({
    '0xord_partial': 'ord_partial',
    '0xord_signed': 'ord_signed',
    '0xord_new': 'ord_new',
    '0xord_beside': 'ord_beside',
  })
  expect((await readBack('ord_beside')).order.deposits).toEqual({ evm: '0xord_beside' })
})
