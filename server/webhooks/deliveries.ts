import type { DeliveryAttempt } from '../../src/wire/delivery.ts'
import type { Sql } from '../database/connect.ts'
import { encodeJson } from '../database/json.ts'
import { silentAfter } from './endpoint-health.ts'

/** A delivery keeps its newest attempts. All that are made without being asked for are ten. */
const mostAttempts = 20

/** Choosing among due deliveries needs no more than these members. */
export interface DueDelivery {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  readonly bytes: number
  /** A `silent` endpoint may be probed now. An `unproven` one has never responded, or did not the last time. */
  readonly endpoint: 'answers' | 'unproven' | 'silent'
}

export interface Delivery extends DueDelivery {
  readonly url: string
  readonly secrets: readonly string[]
  readonly body: string
  readonly attempts: number
  readonly firstTriedAt: Date
  readonly claimedAt: Date
}

/**
 * Returns the first due deliveries of each active endpoint. For three attempts an order's earlier event goes before later ones, unless its
 * merchant has asked for either to be sent again. The query finds endpoints one by one in the index, so its cost depends more on their number than on that of the deliveries.
 */
export async function dueDeliveries(sql: Sql, perWebhook: number): Promise<DueDelivery[]> {
  const rows = await sql`
    with recursive pending (webhook_id) as (
      (select webhook_id from deliveries where done_at is null and given_up_at is null order by webhook_id limit 1)
      union all
      select (
        select d.webhook_id from deliveries d
        where d.done_at is null and d.given_up_at is null and d.webhook_id > pending.webhook_id order by d.webhook_id limit 1)
      from pending where pending.webhook_id is not null)
    select d.id, w.id as webhook_id, w.organization_id, d.bytes,
      case when w.silent >= ${silentAfter} then 'silent' when w.silent = 0 and w.answered_at is not null then 'answers' else 'unproven' end as endpoint
    from pending join webhooks w on w.id = pending.webhook_id cross join lateral (
      select d.id, d.next_at, d.seq, octet_length(e.body) as bytes from deliveries d join events e on e.seq = d.seq
      where d.webhook_id = w.id and d.next_at <= now() and d.done_at is null and d.given_up_at is null
        and not exists (
          select 1 from deliveries b
          where b.webhook_id = d.webhook_id and b.order_id = d.order_id and b.seq < d.seq and b.done_at is null and b.given_up_at is null
            and b.resent_at is null and d.resent_at is null
            and (b.attempts < 3 or b.leased_until > now()))
      order by d.next_at, d.seq limit case when w.silent >= ${silentAfter} then 1 else ${perWebhook}::int end) d
    where w.active and (w.silent < ${silentAfter} or w.probe_at <= now())
    order by d.next_at, d.seq`
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    organizationId: row.organization_id,
    bytes: row.bytes,
    endpoint: row.endpoint,
  }))
}

/** The lease outlasts the request, so after a crash a delivery is sent twice, not never. One process at a time probes a silent endpoint. */
export async function claimDeliveries(sql: Sql, chosen: readonly DueDelivery[], leaseSeconds: number): Promise<Delivery[]> {
  const known = new Map(chosen.map((delivery) => [delivery.id, delivery]))
  const probed = chosen.filter(({ endpoint }) => endpoint === 'silent').map(({ webhookId }) => webhookId)
  const lease = `${leaseSeconds} seconds`
  const rows = await sql`
    with free as (
      select id from webhooks where id = any(${probed}) and probe_at <= now() for no key update skip locked),
    probing as (
      update webhooks set probe_at = now() + ${lease}::interval from free where webhooks.id = free.id returning webhooks.id),
    taken as (
      select id from deliveries
      where id = any(${[...known.keys()]}) and next_at <= now() and done_at is null and given_up_at is null
        and (webhook_id <> all(${probed}) or webhook_id in (select id from probing))
      for update skip locked)
    update deliveries d set attempts = d.attempts + 1, next_at = now() + ${lease}::interval,
      leased_until = now() + ${lease}::interval, first_tried_at = coalesce(d.first_tried_at, now())
    from taken, events e, webhooks w
    where d.id = taken.id and e.seq = d.seq and w.id = d.webhook_id
    returning d.id, w.url, w.secret, case when w.previous_until > now() then w.previous_secret end as previous, e.body, d.attempts, d.first_tried_at, now() as taken_at, d.seq`
  return rows
    .sort((a, b) => a.seq - b.seq)
    .flatMap((row) => {
      const due = known.get(row.id)
      return due
        ? [
            {
              ...due,
              url: row.url,
              secrets: row.previous ? [row.secret, row.previous] : [row.secret],
              body: row.body,
              attempts: row.attempts,
              firstTriedAt: row.first_tried_at,
              claimedAt: row.taken_at,
            },
          ]
        : []
    })
}

const recorded = (sql: Sql, attempt: DeliveryAttempt) =>
  sql`case when jsonb_array_length(tried) >= ${mostAttempts} then tried - 0 else tried end || ${encodeJson(attempt)}::text::jsonb`

export async function deliveryDone(sql: Sql, id: string, attempt: DeliveryAttempt): Promise<void> {
  await sql`
    update deliveries set done_at = now(), leased_until = null, last_error = null, tried = ${recorded(sql, attempt)} where id = ${id}`
}

/** Without `nextAt` there is no further attempt. */
export async function deliveryFailed(sql: Sql, id: string, attempt: DeliveryAttempt, nextAt: Date | undefined): Promise<void> {
  await sql`
    update deliveries set leased_until = null, last_error = ${attempt.error ?? null}, tried = ${recorded(sql, attempt)},
      next_at = coalesce(${nextAt ?? null}, next_at), given_up_at = ${nextAt ? null : new Date()}
    where id = ${id}`
}
