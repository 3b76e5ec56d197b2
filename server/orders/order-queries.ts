import type { ChainFamily } from '../../src/wire/chain-facts.ts'
import type { Order } from './model/order.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { matchingOrders, type OrderFilter } from './order-filter.ts'
import { decodeOrder } from './stored-order.ts'

export async function orderById(sql: Sql | Tx, id: string): Promise<Order | undefined> {
  const [row] = await sql`select state from orders where id = ${id}`
  return row && decodeOrder(row.state)
}

/** Reads orders in one query and leaves out ids that do not exist. */
export async function ordersById(sql: Sql | Tx, ids: readonly string[]): Promise<Order[]> {
  const rows = await sql`select state from orders where id = any(${ids as string[]})`
  return rows.map((row) => decodeOrder(row.state))
}

/** Locks the order's row until the end of the transaction. A change inside a transaction must hold this lock. */
export async function lockOrder(tx: Tx, id: string): Promise<Order | undefined> {
  const [row] = await tx`select state from orders where id = ${id} for update`
  return row && decodeOrder(row.state)
}

/** Returns undefined for another organisation's order too, so that a caller cannot learn that it exists. */
export async function orderOf(sql: Sql | Tx, organizationId: string, id: string): Promise<Order | undefined> {
  const order = await orderById(sql, id)
  return order?.organizationId === organizationId ? order : undefined
}

export const orderIsOf = async (sql: Sql, organizationId: string, id: string): Promise<boolean> =>
  (await sql`select 1 from orders where id = ${id} and organization_id = ${organizationId}`).length === 1

export interface Listing {
  readonly orders: readonly Order[]
  readonly total: number
}

export async function listOrders(sql: Sql, organizationId: string, filter: OrderFilter): Promise<Listing> {
  const matches = matchingOrders(sql, organizationId, filter)
  const [rows, [count]] = await Promise.all([
    sql`select state from orders where ${matches} order by created_at desc, id desc limit ${filter.limit} offset ${filter.offset}`,
    sql`select count(*)::int as total from orders where ${matches}`,
  ])
  return { orders: rows.map((row) => decodeOrder(row.state)), total: count?.total ?? 0 }
}

export interface DepositAddress {
  readonly id: string
  readonly address: string
}

/** Every periodic sweep of a family's chains reads these, and of more than the limit any, those that await payment first: payers may send to an order that awaits payment, or has ended and changed less than a day ago. */
export const depositsToSweep = async (sql: Sql, family: ChainFamily, limit: number): Promise<DepositAddress[]> => sql<DepositAddress[]>`
  select id, address from deposits join orders on id = order_id
  where family = ${family} and (status in ('AWAITING_PAYMENT', 'PARTIAL_PAYMENT') or (status in ('EXPIRED', 'COMPLETED', 'FAILED') and updated_at > now() - interval '1 day'))
  order by status in ('AWAITING_PAYMENT', 'PARTIAL_PAYMENT') desc, random() limit ${limit}`

/** Returns the next `limit` of all addresses ever issued in a family, ordered by order id. */
export const depositsAfter = async (sql: Sql, family: ChainFamily, orderId: string, limit: number): Promise<DepositAddress[]> =>
  sql<DepositAddress[]>`
    select order_id as id, address from deposits where family = ${family} and order_id > ${orderId} order by order_id limit ${limit}`

/** Maps deposit addresses to their orders' ids. Its cost depends on the number of addresses and not on the number of open orders. */
export async function ordersByDeposit(sql: Sql | Tx, addresses: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql`select order_id, address from deposits where address = any(${addresses as string[]})`
  return new Map(rows.map((row) => [row.address as string, row.order_id as string]))
}

export async function keyForOrder(sql: Sql, orderId: string): Promise<string | undefined> {
  const [row] = await sql`
    select api_key from api_keys join orders using (organization_id)
    where orders.id = ${orderId} and active and not is_internal order by api_keys.created_at limit 1`
  return row?.api_key
}
