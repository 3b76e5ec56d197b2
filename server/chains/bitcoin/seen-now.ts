import type { Sql } from '../../database/connect.ts'
import type { SeenTransfer } from '../feed.ts'

/**
 * Dates transfers as seen now, by the database's clock, since a block's clock may lie. All processes share that clock, and one whose own
 * is hours ahead would otherwise find every payment late.
 */
export async function seenNow(sql: Sql, transfers: readonly SeenTransfer[]): Promise<readonly SeenTransfer[]> {
  if (transfers.length === 0) return transfers
  const [row] = await sql<{ now: number }[]>`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  return transfers.map((transfer) => ({ ...transfer, ...(row && { seenAt: row.now }) }))
}
