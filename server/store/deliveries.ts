import type { Sql } from './connect.ts'

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly secrets: readonly string[]
  readonly body: string
  readonly attempts: number
  readonly firstTriedAt: Date
  readonly takenAt: Date
}

/** What one process keeps under way at once, in all and for one receiver. */
export interface DeliveryRoom {
  readonly total: number
  readonly perWebhook: number
  /** How many are under way already, by webhook. */
  readonly running: ReadonlyMap<string, number>
  readonly leaseSeconds: number
}

/** More is looked at than taken, since one receiver may fill the front of the queue with more than it may have at once. */
const lookedAtPerTaken = 4

/**
 * Takes due deliveries for this process; the lease outlasts the request, so that a crash means once more, not never.
 * Within an order and endpoint an earlier event goes first while it is in its first three attempts; then it is passed.
 */
export const claimDeliveries = async (sql: Sql, { total, perWebhook, running, leaseSeconds }: DeliveryRoom): Promise<Delivery[]> => {
  const full = [...running].filter(([, count]) => count >= perWebhook).map(([id]) => id)
  const rows = await sql`
    with due as (
      select d.id, d.webhook_id, d.next_at, d.seq from deliveries d join webhooks w on w.id = d.webhook_id
      where d.next_at <= now() and d.done_at is null and d.given_up_at is null and w.active and d.webhook_id <> all(${full})
        and not exists (
          select 1 from deliveries e
          where e.webhook_id = d.webhook_id and e.order_id = d.order_id and e.seq < d.seq and e.done_at is null and e.given_up_at is null
            and (e.attempts < 3 or e.leased_until > now()))
      order by d.next_at, d.seq limit ${total * lookedAtPerTaken}),
    lined_up as (
      select due.*, row_number() over (partition by webhook_id order by next_at, seq) + coalesce(running.count, 0) as place
      from due left join unnest(${[...running.keys()]}::text[], ${[...running.values()]}::int[]) as running (id, count) on running.id = due.webhook_id),
    taken as (
      select d.id from deliveries d join lined_up using (id)
      where lined_up.place <= ${perWebhook} and d.next_at <= now() and d.done_at is null
      order by d.next_at, d.seq limit ${total}
      for update of d skip locked)
    update deliveries d set attempts = d.attempts + 1, next_at = now() + ${`${leaseSeconds} seconds`}::interval,
      leased_until = now() + ${`${leaseSeconds} seconds`}::interval, first_tried_at = coalesce(d.first_tried_at, now())
    from taken, events e, webhooks w
    where d.id = taken.id and e.seq = d.seq and w.id = d.webhook_id
    returning d.id, d.webhook_id, w.url, w.secret, case when w.previous_until > now() then w.previous_secret end as previous, e.body, d.attempts, d.first_tried_at, now() as taken_at, d.seq`
  return rows
    .sort((a, b) => a.seq - b.seq)
    .map((row) => ({
      id: row.id,
      webhookId: row.webhook_id,
      url: row.url,
      secrets: row.previous ? [row.secret, row.previous] : [row.secret],
      body: row.body,
      attempts: row.attempts,
      firstTriedAt: row.first_tried_at,
      takenAt: row.taken_at,
    }))
}

export const deliveryDone = async (sql: Sql, id: string): Promise<void> => {
  await sql`update deliveries set done_at = now(), leased_until = null, last_error = null where id = ${id}`
}

/** `nextAt` undefined: it was tried long enough. */
export const deliveryFailed = async (sql: Sql, id: string, error: string, nextAt: Date | undefined): Promise<void> => {
  await sql`
    update deliveries set leased_until = null, last_error = ${error.slice(0, 500)},
      next_at = coalesce(${nextAt ?? null}, next_at), given_up_at = ${nextAt ? null : new Date()}
    where id = ${id}`
}
