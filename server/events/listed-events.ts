import type { OrderEvent } from '../../src/wire/event.ts'
import type { Sql } from '../database/connect.ts'

export interface EventFilter {
  readonly limit: number
  readonly order_id?: string
  readonly event?: OrderEvent
  readonly include_unsigned?: boolean
  /** The number of the event that the page begins after. */
  readonly after?: number
}

export interface ListedEvents {
  readonly events: readonly { readonly seq: number; readonly body: string }[]
  readonly hasMore: boolean
}

/**
 * Reads an organisation's announcements in the order of the log, and no further than every reader may (see log.ts), so that whoever continues
 * after the last event misses none. Returns undefined if the event to continue after is not in the log any more.
 */
export async function listEvents(sql: Sql, organizationId: string, filter: EventFilter): Promise<ListedEvents | undefined> {
  const { limit, after, order_id: orderId, event } = filter
  const [from] =
    after === undefined ? [] : await sql`select xid::text as xid from events where seq = ${after} and organization_id = ${organizationId}`
  if (after !== undefined && !from) return undefined
  const rows = await sql<{ seq: number; body: string }[]>`
    select seq, body from events
    where organization_id = ${organizationId} and not socket_only and xid < pg_snapshot_xmin(pg_current_snapshot())
      and delivered_at > now() - interval '30 days'
      ${from ? sql`and (xid, seq) > (${from.xid}::xid8, ${after ?? 0})` : sql``}
      ${orderId === undefined ? sql`` : sql`and order_id = ${orderId}`}
      ${event === undefined ? sql`` : sql`and event = ${event}`}
      ${filter.include_unsigned ? sql`` : sql`and not unsigned`}
    order by events.xid, seq limit ${limit + 1}`
  return { events: rows.slice(0, limit), hasMore: rows.length > limit }
}
