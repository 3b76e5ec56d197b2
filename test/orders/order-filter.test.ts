import { afterAll, beforeAll, expect, test } from 'vitest'
import { append } from '../../server/orders/append.ts'
import type { Terms } from '../../server/orders/model/order.ts'
import { orders } from '../../server/orders/routes/orders.ts'
import type { Sql } from '../../server/database/connect.ts'
import { bareOrganization } from '../events/support.ts'
import { type Client, createClient } from '../support/client/client.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'
import { type Served, serveRoutes } from '../support/service/serve-routes.ts'
import { newOrderOf, policy, t0 } from './model/support.ts'

/** `GET /orders` on PostgreSQL, as a merchant asks. */

let recording: Recording
let sql: Sql
let served: Served
let client: Client
let other: Client
const minute = 60_000
const evm = `0x${'ab'.repeat(20)}`
const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const evmHash = `0x${'cd'.repeat(32)}`
const bitcoinHash = 'ef'.repeat(32)

beforeAll(async () => {
  recording = await startRecording()
  ;({ sql } = recording)
  await bareOrganization(sql, 'org_2')
  served = await serveRoutes(sql, (route) => orders(route, recording.engine))
  client = createClient(served.baseUrl, { apiKey: 'pk_org_1', secret: 'sk_org_1' })
  other = createClient(served.baseUrl, { apiKey: 'pk_org_2', secret: 'sk_org_2' })
  await create('first', 0, { metadata: { reference: 'NW-1' } })
  await create('second', 1, { metadata: { reference: 'NW-2' }, createdBy: 'key' }, { evm, bitcoin })
  await create('third', 2, { metadata: { reference: 'NW-1' } })
  await create('foreign', 1, { metadata: { reference: 'NW-1' } }, { evm: `0x${'ac'.repeat(20)}` }, 'org_2')
  await paid('first', evmHash, 'a')
  await paid('first', evmHash, 'b')
  await paid('third', bitcoinHash, 'c')
  await paid('foreign', evmHash, 'd')
})
afterAll(async () => {
  await served?.close()
  await recording?.close()
})

async function create(name: string, minutes: number, terms: Partial<Terms>, deposits: object = { evm: name }, organizationId = 'org_1') {
  const order = { ...newOrderOf({ createdBy: 'signature', ...terms }), id: `ord_${name}`, organizationId, deposits }
  await append(sql, undefined, [{ type: 'created', order }], policy, t0 + minutes * minute)
}
const paid = (name: string, hash: string, key: string) => sql`
  insert into transfers (key, order_id, chain_id, tx_hash, amount, block, block_hash, state)
  values (${key}, ${`ord_${name}`}, 8453, ${hash}, 1, 1, 'x', 'seen')`

async function found(query: Record<string, string>, by = client) {
  const { data, pagination } = await by.ask('listOrders', { query })
  expect(pagination.total_count).toBe(data.length)
  return data.map(({ id }) => id.slice('ord_'.length))
}
const at = (minutes: number) => new Date(t0 + minutes * minute).toISOString()

test('default: without a filter, all orders of one organisation are listed, newest first', async () => {
  expect(await found({})).toEqual(['third', 'second', 'first'])
  expect(await found({}, other)).toEqual(['foreign'])
})

test('behavior: a range of time includes its beginning and not its end, so ranges follow each other', async () => {
  expect(await found({ created_after: at(1) })).toEqual(['third', 'second'])
  expect(await found({ created_before: at(1) })).toEqual(['first'])
  expect(await found({ created_after: at(1), created_before: at(2) })).toEqual(['second'])
  expect(await found({ created_after: at(0).replace('14:00:00.000Z', '15:01:00+01:00') })).toEqual(['third', 'second'])
})

test('behavior: orders are found by reference, by who made them and by status, and filters add up', async () => {
  expect(await found({ reference: 'NW-1' })).toEqual(['third', 'first'])
  expect(await found({ reference: 'NW-1', created_before: at(1) })).toEqual(['first'])
  expect(await found({ reference: 'nw-1' })).toEqual([])
  expect(await found({ created_by: 'key' })).toEqual(['second'])
  expect(await found({ status: 'PENDING', reference: 'NW-2' })).toEqual(['second'])
  expect(await found({ status: 'COMPLETED' })).toEqual([])
})

test('behavior: a deposit address and a transaction are found however their chain lets them be written, and only one’s own', async () => {
  for (const address of [evm, evm.toUpperCase().replace('0X', '0x'), bitcoin, bitcoin.toUpperCase()])
    expect(await found({ address })).toEqual(['second'])
  expect(await found({ address: evm }, other)).toEqual([])
  expect(await found({ hash: evmHash })).toEqual(['first'])
  expect(await found({ hash: evmHash.toUpperCase().replace('0X', '0x') }, other)).toEqual(['foreign'])
  expect(await found({ hash: bitcoinHash.toUpperCase() })).toEqual(['third'])
  expect(await found({ hash: `0x${'00'.repeat(32)}` })).toEqual([])
})

test.each([
  ['created_after', 'yesterday'],
  ['created_after', '2026-05-12'],
  ['created_after', '0000-02-29T00:00:00-20:00'],
  ['created_after', '0001-01-01T00:00:00+00:01'],
  ['created_before', '9999-12-31T23:59:59-00:01'],
  ['reference', ''],
  ['reference', 'x'.repeat(65)],
  ['hash', 'x'],
  ['hash', `0x${'zz'.repeat(32)}`],
  ['address', '0x12'],
  ['address', 'somebody'],
  ['created_by', 'me'],
  ['status', 'PAID'],
])('error: the filter %s=%s is refused by its name', async (name, value) => {
  const { details } = await client.refused('listOrders', 400, { query: { [name]: value } })
  expect(details).toMatchObject({ issues: [{ path: name, message: expect.any(String) }] })
})

test('behavior: a range may have all the time there is', async () => {
  expect(await found({ created_after: '0001-01-01T00:00:00Z', created_before: '9999-12-31T23:59:59.999Z' })).toHaveLength(3)
})

test('error: a range that ends before it begins is refused', async () => {
  const { message } = await client.refused('listOrders', 400, { query: { created_after: at(2), created_before: at(1) } })
  expect(message).toBe('Invalid query: created_before: must be later than created_after.')
})

test('behavior: each lookup has an index', async () => {
  const planOf = async (condition: string) =>
    sql.begin(async (tx) => {
      await tx.unsafe('set local enable_seqscan = off; set local enable_sort = off')
      const rows = await tx.unsafe(`explain select id from orders where organization_id = 'org_1' and ${condition}`)
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
    })
  expect(await planOf(`state #>> '{terms,metadata,reference}' = 'NW-1'`)).toContain('orders_by_reference')
  expect(await planOf(`id in (select order_id from transfers where tx_hash = any('{x}'))`)).toContain('transfers_by_hash')
  expect(await planOf(`id in (select order_id from deposits where address = any('{x}'))`)).toContain('deposits_address_key')
})
