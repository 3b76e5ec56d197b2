import type { Sql } from '../database/connect.ts'
import { silentAfter } from './endpoint-health.ts'

export interface WaitingDeliveries {
  /** Deliveries that active endpoints have not accepted. Of each endpoint, no more than a hundred count. */
  readonly deliveries: number
  /** So many active endpoints have deliveries waiting. */
  readonly endpoints: number
  /** So many of these do not answer at all. */
  readonly silent: number
  /** So many of these have accepted nothing for an hour, whatever they answer. */
  readonly failing: number
  /** The delivery that is due first, of the endpoints that answer, has been due for so many seconds. */
  readonly overdue: number
}

/** An endpoint that nobody serves can have any number of deliveries, and anybody can register one. So both are counted up to a limit. */
const most = { endpoints: 1_000, deliveriesOfEach: 100 } as const

/** Walks from endpoint to endpoint in the index, as `dueDeliveries` does, so that the backlog of one neither hides nor delays that of another. */
export async function waitingDeliveries(sql: Sql): Promise<WaitingDeliveries> {
  const [row] = await sql<{ deliveries: number; endpoints: number; silent: number; failing: number; overdue: number }[]>`
    with recursive pending (webhook_id, place) as (
      (select webhook_id, 1 from deliveries where done_at is null and given_up_at is null order by webhook_id limit 1)
      union all
      select (
        select d.webhook_id from deliveries d
        where d.done_at is null and d.given_up_at is null and d.webhook_id > pending.webhook_id order by d.webhook_id limit 1), place + 1
      from pending where pending.webhook_id is not null and place < ${most.endpoints})
    select coalesce(sum(waiting.count), 0)::int as deliveries, count(*)::int as endpoints, (count(*) filter (where w.silent >= ${silentAfter}))::int as silent,
      (count(*) filter (where w.failing_since < now() - interval '1 hour'))::int as failing,
      coalesce(greatest(0, extract(epoch from clock_timestamp() - min(first.next_at) filter (where w.silent < ${silentAfter}))), 0)::int as overdue
    from pending join webhooks w on w.id = pending.webhook_id
      cross join lateral (
        select count(*) as count from (
          select 1 from deliveries d where d.webhook_id = w.id and d.done_at is null and d.given_up_at is null limit ${most.deliveriesOfEach}) as counted) as waiting
      cross join lateral (
        select d.next_at from deliveries d where d.webhook_id = w.id and d.done_at is null and d.given_up_at is null order by d.next_at limit 1) as first
    where w.active`
  return row ?? { deliveries: 0, endpoints: 0, silent: 0, failing: 0, overdue: 0 }
}
