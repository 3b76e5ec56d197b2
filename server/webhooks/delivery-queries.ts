import type { Delivery, DeliveryAttempt, DeliveryState } from '../../src/wire/delivery.ts'
import type { OrderEvent } from '../../src/wire/event.ts'
import type { Sql, Tx } from '../database/connect.ts'

interface Row {
  readonly id: string
  readonly event: OrderEvent
  readonly order_id: string
  readonly delivered_at: Date
  readonly next_at: Date
  readonly done_at: Date | null
  readonly given_up_at: Date | null
  readonly tried: DeliveryAttempt[]
  readonly body: string
}

const columns = (sql: Sql | Tx) => sql`
  d.id, e.event, d.order_id, e.delivered_at, d.next_at, d.done_at, d.given_up_at, d.tried, e.body`

const isWaiting = (sql: Sql | Tx) => sql`d.done_at is null and d.given_up_at is null`

function inState(sql: Sql, state: DeliveryState | undefined) {
  switch (state) {
    case undefined:
      return sql``
    case 'waiting':
      return sql`and ${isWaiting(sql)}`
    case 'delivered':
      return sql`and d.done_at is not null`
    case 'failed':
      return sql`and d.given_up_at is not null`
    default:
      return state satisfies never
  }
}

interface Filter {
  readonly limit: number
  readonly offset: number
  readonly state?: DeliveryState
  readonly order_id?: string
}

/** The caller has checked whose webhook it is. An order's deliveries are found by its events, which are indexed by order. */
export async function deliveriesOf(sql: Sql, webhookId: string, filter: Filter): Promise<{ deliveries: Delivery[]; total: number }> {
  const ofOrder = filter.order_id === undefined ? sql`` : sql`and d.seq in (select seq from events where order_id = ${filter.order_id})`
  const matches = sql`d.webhook_id = ${webhookId} ${ofOrder} ${inState(sql, filter.state)}`
  const [rows, [count]] = await Promise.all([
    sql<Row[]>`
      select ${columns(sql)} from deliveries d join events e on e.seq = d.seq
      where ${matches} order by d.seq desc limit ${filter.limit} offset ${filter.offset}`,
    sql`select count(*)::int as total from deliveries d where ${matches}`,
  ])
  return { deliveries: rows.map(deliveryOf), total: count?.total ?? 0 }
}

/**
 * Makes a delivery due now. One that has ended begins anew, with all its attempts before it. One that is being sent stays as it is, since its
 * outcome is about to be stored. It keeps its id, so a receiver that has handled it already knows it again.
 */
export async function resendDelivery(tx: Tx, webhookId: string, id: string): Promise<Delivery | undefined> {
  const [row] = await tx<Row[]>`
    with resent as (
      update deliveries d set
        attempts = case when ${isWaiting(tx)} then attempts else 0 end,
        first_tried_at = case when ${isWaiting(tx)} then first_tried_at end,
        resent_at = case when ${isWaiting(tx)} then resent_at else now() end,
        next_at = case when leased_until > now() then next_at else now() end,
        done_at = null, given_up_at = null
      where id = ${id} and webhook_id = ${webhookId}
      returning d.*)
    select ${columns(tx)} from resent d join events e on e.seq = d.seq`
  return row && deliveryOf(row)
}

function deliveryOf(row: Row): Delivery {
  const state = row.done_at ? 'delivered' : row.given_up_at ? 'failed' : 'waiting'
  return {
    id: row.id,
    event: row.event,
    order_id: row.order_id,
    state,
    created_at: row.delivered_at.toISOString(),
    ...(state === 'waiting' ? { next_attempt_at: row.next_at.toISOString() } : {}),
    attempts: row.tried,
    body: row.body,
  }
}
