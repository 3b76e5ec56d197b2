import type { ChainId } from '../../src/wire/chain.ts'
import type { Arrival, Replaced } from './model/commands.ts'
import type { Sql } from '../database/connect.ts'
import { decodeJson, encodeJson } from '../database/json.ts'

/** An order is set aside with its transfers when it could not record them, so that the scan of its chain can go on. */
export interface SetAside {
  readonly orderId: string
  readonly arrivals: readonly Arrival[]
  readonly replaced: readonly Replaced[]
  readonly attempts: number
}

type Stored = Pick<SetAside, 'arrivals' | 'replaced'>

/** The wait between retries doubles from one second up to this many seconds. */
const longestWait = 3600

/** Adds the transfers to those stored already, and postpones the order's next retry with exponential back-off. */
export async function setAside(sql: Sql, orderId: string, chainId: ChainId, { arrivals, replaced }: Stored, reason: string): Promise<void> {
  await sql`
    insert into set_aside (order_id, chain_id, arrivals, replaced, next_at, reason)
    values (${orderId}, ${chainId}, ${encodeJson(arrivals)}::text::jsonb, ${encodeJson(replaced)}::text::jsonb, now() + interval '1 second', ${reason.slice(0, 500)})
    on conflict (order_id, chain_id) do update set arrivals = set_aside.arrivals || excluded.arrivals,
      replaced = set_aside.replaced || excluded.replaced, attempts = set_aside.attempts + 1,
      next_at = now() + least(${longestWait}, 2 ^ least(set_aside.attempts, 20)) * interval '1 second', reason = excluded.reason`
}

/** Transfers that later scans find for an order that is set aside are stored after the earlier ones. */
export async function appendToSetAside(sql: Sql, orderId: string, chainId: ChainId, { arrivals, replaced }: Stored): Promise<void> {
  await sql`
    update set_aside set arrivals = arrivals || ${encodeJson(arrivals)}::text::jsonb, replaced = replaced || ${encodeJson(replaced)}::text::jsonb
    where order_id = ${orderId} and chain_id = ${chainId}`
}

export async function dueSetAside(sql: Sql, chainId: ChainId, limit = 20): Promise<SetAside[]> {
  const rows = await sql`
    select order_id, arrivals, replaced, attempts from set_aside where chain_id = ${chainId} and next_at <= now() order by next_at limit ${limit}`
  return rows.map(({ order_id, arrivals, replaced, attempts }) => ({
    orderId: order_id,
    arrivals: decodeJson<Arrival[]>(arrivals),
    replaced: decodeJson<Replaced[]>(replaced),
    attempts,
  }))
}

export async function setAsideIds(sql: Sql, chainId: ChainId): Promise<ReadonlySet<string>> {
  const rows = await sql`select order_id from set_aside where chain_id = ${chainId}`
  return new Set(rows.map((row) => row.order_id as string))
}

/** Deletes the row, unless the order was set aside again or got more transfers meanwhile. */
export async function clearSetAside(sql: Sql, { orderId, attempts, arrivals, replaced }: SetAside, chainId: ChainId): Promise<void> {
  await sql`delete from set_aside
    where order_id = ${orderId} and chain_id = ${chainId} and attempts = ${attempts} and jsonb_array_length(arrivals) = ${arrivals.length}
      and jsonb_array_length(replaced) = ${replaced.length}`
}

/** No more rows of either kind than these are counted, so that an operator's look at them costs little however many there are. */
const mostCounted = 1_000

/** Counts the orders that could not record their transfers, or what others have moved from their addresses. */
export async function countSetAside(sql: Sql): Promise<{ chainId: number; count: number }[]> {
  const rows = await sql`
    select chain_id, count(*)::int as count from (
      (select chain_id, order_id from set_aside limit ${mostCounted})
      union
      (select chain_id, order_id from foreign_moves join deposits using (address) where state <> 'recorded' and attempts > 0 limit ${mostCounted})
    ) as aside group by chain_id`
  return rows.map((row) => ({ chainId: Number(row.chain_id), count: row.count as number }))
}
