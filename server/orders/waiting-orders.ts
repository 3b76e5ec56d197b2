import type { Sql } from '../database/connect.ts'

export interface WaitingOrders {
  /** For each status in which money has arrived and is not settled, this is for how many seconds its oldest order has had it. */
  readonly oldest: Readonly<Record<UnsettledStatus, number>>
  /** The order that is due first should have been looked at by its timer so many seconds ago. */
  readonly overdue: number
}

export const unsettledStatuses = ['AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'EXECUTING_ORDER'] as const
export type UnsettledStatus = (typeof unsettledStatuses)[number]

/** Each figure is the first row of an index, so the number of orders does not matter. Without such an order it is 0. */
export async function waitingOrders(sql: Sql): Promise<WaitingOrders> {
  const oldest = (status: UnsettledStatus) => sql`
    (select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(status_since))), 0)::int from orders where status = ${sql.unsafe(`'${status}'`)})`
  const [row] = await sql<{ confirming: number; optimistic: number; executing: number; overdue: number }[]>`
    select ${oldest('AWAITING_CONFIRMATION')} as confirming, ${oldest('OPTIMISTIC_CONFIRMED')} as optimistic, ${oldest('EXECUTING_ORDER')} as executing,
      (select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(next_tick))), 0)::int from orders where next_tick is not null) as overdue`
  return {
    oldest: {
      AWAITING_CONFIRMATION: row?.confirming ?? 0,
      OPTIMISTIC_CONFIRMED: row?.optimistic ?? 0,
      EXECUTING_ORDER: row?.executing ?? 0,
    },
    overdue: row?.overdue ?? 0,
  }
}

export const heldAges = ['day', 'week', 'older'] as const

export interface HeldTransfers {
  readonly chainId: number
  /** Held for less than a day, for less than a week, or for longer. */
  readonly age: (typeof heldAges)[number]
  readonly count: number
}

/** Anybody can send to an old address, so that it is held for ever. That many are counted for each chain and age, and no more. */
const mostHeld = 1_000

export async function heldTransfers(sql: Sql, chainIds: readonly number[]): Promise<readonly HeldTransfers[]> {
  const rows = await sql<{ chain_id: number; age: HeldTransfers['age']; count: number }[]>`
    select chain.id as chain_id, span.age, held.count
    from unnest(${[...chainIds]}::bigint[]) as chain (id)
      cross join (values ('day', now() - interval '1 day', 'infinity'), ('week', now() - interval '7 days', now() - interval '1 day'),
        ('older', '-infinity', now() - interval '7 days')) as span (age, since, until)
      cross join lateral (
        select count(*)::int as count from (
          select 1 from transfers
          where state = 'held' and chain_id = chain.id and held_at > span.since::timestamptz and held_at <= span.until::timestamptz limit ${mostHeld}
        ) as first) as held`
  return rows.map(({ chain_id, age, count }) => ({ chainId: chain_id, age, count }))
}
