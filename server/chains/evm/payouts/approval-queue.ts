import type { Sql, TransactionSql } from 'postgres'
import { dueInTurns } from '../../due-in-turns.ts'
import { moveRow, type UnsignedMove } from '../unsigned-move.ts'
import type { Send } from './send.ts'

interface Row {
  readonly id: string
  readonly kind: string
  readonly order_id: string
  readonly ref: string
  readonly failures: number
  readonly move: unknown
  readonly created: string
  readonly age_ms: string
}

export interface MoveToApprove extends Pick<Send, 'id' | 'chainId' | 'purpose' | 'failures'> {
  /** As it is stored: a row that cannot be parsed must not keep the others from their signatures. */
  readonly move: unknown
  /** Unix seconds. */
  readonly createdAt: bigint
  readonly ageMs: number
}

const lacksApproval = (sql: Sql) => sql`move is not null and (approved_until is null or approved_until <= clock_timestamp())`

const guardOfMove = (sql: Sql) => sql`coalesce(move -> 'terms' ->> 'guard', '')`

/** Selects the guards that have something to sign now, but for those that are busy. The one whose move is the oldest comes first. */
export async function guardsToAsk(sql: Sql, chainId: number, busy: readonly string[], limit: number): Promise<string[]> {
  const rows = await sql<{ guard: string }[]>`
    select ${guardOfMove(sql)} as guard from sends
    where chain_id = ${chainId} and state = 'queued' and ${lacksApproval(sql)} and (not_before is null or not_before <= clock_timestamp())
      and ${guardOfMove(sql)} <> all(${sql.array([...busy])}::text[])
    group by 1 order by min(position) limit ${limit}`
  return rows.map(({ guard }) => guard)
}

/** Selects sends that this guard has to sign for, or sign again, as tenants take turns and without those that back off. */
export async function movesToApprove(sql: Sql, chainId: number, guard: string, limit: number): Promise<MoveToApprove[]> {
  const when = sql`${lacksApproval(sql)} and ${guardOfMove(sql)} = ${guard}`
  const ids = await dueInTurns(sql, { queue: 'sends', chainId, when, ignoresPriority: true }, limit)
  const rows = await sql<Row[]>`
    select id, kind, order_id, ref, failures, move, floor(extract(epoch from created_at))::text as created, floor(extract(epoch from clock_timestamp() - created_at) * 1000)::text as age_ms
    from sends where id = any(${ids}::text[]) and state = 'queued' and ${lacksApproval(sql)} order by array_position(${ids}::text[], id)`
  return rows.map((row) => ({
    id: row.id,
    chainId: chainId as Send['chainId'],
    purpose: { kind: row.kind, orderId: row.order_id, ref: row.ref },
    failures: row.failures,
    move: row.move,
    createdAt: BigInt(row.created),
    ageMs: Number(row.age_ms),
  }))
}

/** Stores the move with its route, unless it has one or is signed for meanwhile. */
export async function storeMove(sql: Sql, { id }: Pick<Send, 'id'>, move: UnsignedMove): Promise<boolean> {
  const { count } = await sql`
    update sends set move = ${sql.json(moveRow(move))}, updated_at = now()
    where id = ${id} and state = 'queued' and approved_until is null and move -> 'conversion' -> 'chosen' is null`
  return count > 0
}

/** Returns the names of the routes that this order's earlier conversions were to take. All of them have failed, or there would be no other. */
export async function triedRoutes(sql: Sql, { id, chainId, purpose }: MoveToApprove): Promise<ReadonlySet<string>> {
  const rows = await sql<{ route: string }[]>`
    select move -> 'conversion' -> 'chosen' ->> 'route' as route from sends
    where order_id = ${purpose.orderId} and chain_id = ${chainId} and id <> ${id} and move -> 'conversion' -> 'chosen' is not null`
  return new Set(rows.map(({ route }) => route))
}

/** Stores the call that contains the guard's signature, unless the send has a nonce meanwhile. Returns whether its order says that it waits. */
export async function markApproved(
  tx: TransactionSql,
  { id }: Pick<Send, 'id'>,
  data: string,
  until: bigint,
): Promise<{ readonly hasWaited: boolean } | undefined> {
  const [row] = await tx<{ waited: boolean }[]>`
    update sends set data = ${data}, approved_until = to_timestamp(${until.toString()}::double precision), failures = 0, not_before = null,
      problem = null, waits_for_guard = false, updated_at = now()
    from (select waits_for_guard as waited from sends where id = ${id} for update) as before
    where id = ${id} and state = 'queued' returning waited`
  return row && { hasWaited: row.waited }
}

export async function markWaiting(tx: TransactionSql, { id }: Pick<Send, 'id'>): Promise<boolean> {
  const { count } = await tx`update sends set waits_for_guard = true where id = ${id} and state = 'queued' and not waits_for_guard`
  return count > 0
}
