import type { Sql, Tx } from '../database/connect.ts'

/**
 * An insert that ignores a conflict waits while another transaction is changing the row, which may be a report that waits for an order which the
 * caller has locked. So a queue looks before it inserts, and ignores only conflicts with inserts that it could not see yet.
 */
export async function isEnqueued(sql: Sql | Tx, queue: 'sends' | 'bitcoin_payouts' | 'solana_payouts', id: string): Promise<boolean> {
  return (await sql`select from ${sql(queue)} where id = ${id}`).length > 0
}
