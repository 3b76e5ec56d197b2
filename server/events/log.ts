import type { Sql } from '../database/connect.ts'

/** Readers stay below the oldest running transaction (see `logPosition` in server/orders/append.ts), so no row can appear behind them. */
export interface Cursor {
  readonly epoch: number
  readonly xid: string
  readonly seq: number
}

export interface LogEvent {
  readonly seq: number
  readonly orderId: string
  readonly organizationId: string
  readonly event: string
  readonly socketOnly: boolean
  /** The order was created with the publishable key alone. */
  readonly unsigned: boolean
  readonly deliveredAt: Date
  /** This is `{event, delivered_at, order}` as JSON, which was serialised once for all subscribers and webhooks. */
  readonly body: string
}

export interface Page {
  readonly events: readonly LogEvent[]
  readonly cursor: Cursor
  /** Committed rows wait behind a transaction that is still running, so the next read should be soon. */
  readonly waiting: boolean
  readonly isFull: boolean
}

const pageSize = 500

/** Events of transactions that are still running come after this cursor. */
export async function logEnd(sql: Sql): Promise<Cursor> {
  const [row] = await sql`
    select (select epoch from epochs where system_identifier = (select system_identifier::text from pg_control_system())) as epoch,
      pg_snapshot_xmin(pg_current_snapshot())::text as xid`
  return { epoch: row?.epoch ?? 0, xid: row?.xid ?? '0', seq: 0 }
}

export async function readOnward(sql: Sql, cursor: Cursor): Promise<Page> {
  const rows = await sql`
    select seq, xid::text as xid, order_id, organization_id, event, socket_only, unsigned, delivered_at, body, xid < pg_snapshot_xmin(pg_current_snapshot()) as settled
    from events where (xid, seq) > (${cursor.xid}::xid8, ${cursor.seq})
    order by events.xid, seq limit ${pageSize}`
  const settled = rows.filter((row) => row.settled)
  const last = settled.at(-1)
  return {
    events: settled.map((row) => ({
      seq: row.seq,
      orderId: row.order_id,
      organizationId: row.organization_id,
      event: row.event,
      socketOnly: row.socket_only,
      unsigned: row.unsigned,
      deliveredAt: row.delivered_at,
      body: row.body,
    })),
    cursor: last ? { epoch: cursor.epoch, xid: last.xid, seq: last.seq } : cursor,
    waiting: settled.length < rows.length,
    isFull: rows.length === pageSize,
  }
}

/** Returns how many milliseconds the oldest unreadable event has waited behind a running transaction. */
export async function logLag(sql: Sql): Promise<number> {
  const [row] = await sql`
    select coalesce(extract(epoch from clock_timestamp() - min(delivered_at)) * 1000, 0)::float8 as lag
    from events where xid >= pg_snapshot_xmin(pg_current_snapshot())`
  return Math.max(0, row?.lag ?? 0)
}
