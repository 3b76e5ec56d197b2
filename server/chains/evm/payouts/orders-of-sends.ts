import type { Sql } from 'postgres'
import { groupBy } from '../../../lib/group-by.ts'
import type { OwnCall } from '../seen-moves.ts'

/**
 * Every attempt counts that is not empty, since any may be mined. Payers' authorisations are excluded because they are payments. A member that
 * has left its batch is excluded too: should a reorganisation make the batch pay it after all, that is recorded as somebody else's doing.
 */
export async function ordersOfSends(sql: Sql, hashes: readonly string[]): Promise<Map<string, Set<string>>> {
  const rows = await sql<{ tx_hash: string; order_ids: string[] }[]>`
    select tx_hash, array_agg(order_id) as order_ids from (
      select tx_hash, order_id from send_attempts join sends on sends.id = send_id
      where tx_hash = any(${hashes as string[]}) and kind in ('settlement', 'refund', 'rescue') and not is_empty
      union all
      select tx_hash, order_id from send_attempts join sends on batch_id = send_id
      where tx_hash = any(${hashes as string[]}) and (state = 'batched' or mined_hash = tx_hash) and not is_empty
    ) as own group by tx_hash`
  return new Map(rows.map((row) => [row.tx_hash, new Set(row.order_ids)]))
}

/** Returns, by transaction, the calls of ours that each contains, chosen like the orders above. */
export async function callsInTransactions(sql: Sql, hashes: readonly string[]): Promise<Map<string, readonly OwnCall[]>> {
  if (hashes.length === 0) return new Map()
  const rows = await sql<{ tx_hash: string; terms_hash: string; data: string }[]>`
    select tx_hash, terms_hash, data from send_attempts join sends on sends.id = send_id
    where tx_hash = any(${hashes as string[]}) and kind in ('settlement', 'refund', 'rescue') and not is_empty and terms_hash is not null
    union all
    select tx_hash, terms_hash, data from send_attempts join sends on batch_id = send_id
    where tx_hash = any(${hashes as string[]}) and (state = 'batched' or mined_hash = tx_hash) and not is_empty and terms_hash is not null`
  const calls = rows.map(({ tx_hash, terms_hash, data }) => ({ txHash: tx_hash, termsHash: terms_hash, data }))
  return groupBy(calls, ({ txHash }) => txHash)
}
