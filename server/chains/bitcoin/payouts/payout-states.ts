import type { Sql, Tx } from '../../../database/connect.ts'
import type { BoundPayout, Inclusion, QueuedPayout } from './payout-queue.ts'

/** Every change of state below names the states that it may start from, so that two processes cannot both make it. */

type Named = Pick<QueuedPayout, 'id'>

/** Postpones a payout, so that others go ahead. */
export async function postpone(sql: Sql, { id }: Named, ms: number, problem: string): Promise<void> {
  await sql`
    update bitcoin_payouts set not_before = clock_timestamp() + ${ms} * interval '1 millisecond', failures = failures + 1, problem = ${problem},
      updated_at = now()
    where id = ${id} and state = 'queued'`
}

export async function markFailed(tx: Tx, { id }: Named, problem: string): Promise<boolean> {
  const { count } = await tx`
    update bitcoin_payouts set state = 'failed', problem = ${problem}, updated_at = now() where id = ${id} and state in ('queued', 'sent')`
  return count > 0
}

export async function markAnnounced(tx: Tx, { id }: Named, txid: string): Promise<boolean> {
  const { count } = await tx`
    update bitcoin_payouts set announced = announced || ${txid}::text, updated_at = now()
    where id = ${id} and state in ('queued', 'sent') and not ${txid} = any(announced)`
  return count > 0
}

/** Any transaction that was ever signed for a payout may be mined, so the payout now belongs to the send of that one. */
export async function markMined(tx: Tx, { id }: Named, sendId: number, { txid, height, hash }: Inclusion): Promise<boolean> {
  const { count } = await tx`
    update bitcoin_payouts set state = 'sent', send_id = ${sendId}, mined_txid = ${txid}, mined_height = ${height}, mined_hash = ${hash},
      gone_since = null, updated_at = now()
    where id = ${id} and state in ('queued', 'sent') and mined_hash is distinct from ${hash}`
  return count > 0
}

export async function markConfirmed(tx: Tx, { id }: Named, { hash }: Inclusion): Promise<boolean> {
  const { count } = await tx`
    update bitcoin_payouts set state = 'confirmed', updated_at = now() where id = ${id} and state = 'sent' and mined_hash = ${hash}`
  return count > 0
}

export async function markUnmined(tx: Tx, { id, mined }: Pick<BoundPayout, 'id' | 'mined'>): Promise<boolean> {
  const { count } = await tx`
    update bitcoin_payouts set mined_txid = null, mined_height = null, mined_hash = null, updated_at = now()
    where id = ${id} and state = 'sent' and mined_hash = ${mined?.hash ?? null}`
  return count > 0
}

/** A reorganisation undid this final payout, so it is in flight again with its old bytes. */
export async function markReopened(tx: Tx, { id, mined }: Pick<BoundPayout, 'id' | 'mined'>): Promise<boolean> {
  const { count } = await tx`
    update bitcoin_payouts set state = 'sent', mined_txid = null, mined_height = null, mined_hash = null, reopened_at = now(), lost_at = null,
      updated_at = now()
    where id = ${id} and state = 'confirmed' and mined_hash = ${mined?.hash ?? null}`
  return count > 0
}

/** Its transaction cannot be mined for now, so it gets another one, which spends the same coins and so excludes the first. */
export async function requeue(sql: Sql, { id, sendId }: BoundPayout): Promise<void> {
  await sql`
    update bitcoin_payouts set state = 'queued', updated_at = now()
    where id = ${id} and send_id = ${sendId ?? null} and state = 'sent' and mined_hash is null`
}

/** Since `height` something that the payout spends is not there, or everything is there (again). */
export async function noteGone(sql: Sql, { id }: Named, height: number | undefined): Promise<void> {
  await sql`update bitcoin_payouts set gone_since = ${height ?? null} where id = ${id}`
}

/** A reorganisation undid this final payout, and its second outcome was a failure, which an operator must see. */
export async function markPayoutLost(tx: Tx, id: string): Promise<boolean> {
  const { count } = await tx`update bitcoin_payouts set lost_at = now() where id = ${id} and reopened_at is not null`
  return count > 0
}
