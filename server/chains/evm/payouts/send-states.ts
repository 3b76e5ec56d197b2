import type { Sql, TransactionSql } from 'postgres'
import { transaction } from '../../../database/transaction.ts'
import { type FinalSend, insertAttempt } from './queue.ts'
import type { Attempt, Inclusion, Send } from './send.ts'

/** Every change of state below names the states that it may start from, so that two processes cannot both make it. */

/** Assigns the nonce and stores its signed bytes, unless the send no longer waits for a nonce. */
export async function takeSlot(sql: Sql, send: Send, slot: NonNullable<Send['slot']>, attempt: Attempt): Promise<boolean> {
  return transaction(sql, async (tx) => {
    const taken = await tx`
      update sends set state = 'signed', operator = ${slot.operator}, nonce = ${slot.nonce}, signed_block = ${slot.signedBlock},
        refusals = 0, failures = 0, not_before = null, waits_for = null, problem = null, updated_at = now()
      where id = ${send.id} and state = 'queued'`
    if (taken.count === 0) return false
    await insertAttempt(tx, send, slot, attempt)
    return true
  })
}

/** Postpones a send by `ms` so that others go ahead. With `isRefusal` this counts against the bytes at its present nonce. */
export async function postpone(
  sql: Sql,
  { id }: Pick<Send, 'id'>,
  { ms, problem, isRefusal = false }: { readonly ms: number; readonly problem: string; readonly isRefusal?: boolean },
): Promise<void> {
  await sql`
    update sends set failures = failures + 1, refusals = refusals + ${isRefusal ? 1 : 0}, problem = ${problem},
      not_before = clock_timestamp() + ${ms} * interval '1 millisecond', updated_at = now()
    where id = ${id} and state in ('queued', 'signed', 'broadcast')`
}

/** Postpones a send whose call reverts, because it may succeed once our transactions up to this nonce are mined. */
export async function waitFor(sql: Sql, { id }: Send, nonce: number, ms: number): Promise<void> {
  await sql`
    update sends set waits_for = coalesce(waits_for, ${nonce}), not_before = clock_timestamp() + ${ms} * interval '1 millisecond', updated_at = now()
    where id = ${id} and state = 'queued'`
}

/** The node has not rejected the bytes this time, so earlier failures and rejections no longer count. */
export async function markBroadcast(sql: TransactionSql | Sql, { id }: Send): Promise<void> {
  await sql`
    update sends set state = 'broadcast', failures = 0, refusals = 0, not_before = null, updated_at = now()
    where id = ${id} and (state = 'signed' or (state = 'broadcast' and failures > 0))`
}

/** The mark functions below return whether this call made the change, because only then is there an outcome to report. */

export async function markReported(tx: TransactionSql, send: Send, txHash: string): Promise<boolean> {
  await markBroadcast(tx, send)
  const { count } = await tx`update send_attempts set announced = true where tx_hash = ${txHash} and not announced`
  return count > 0
}

export async function markMined(tx: TransactionSql, send: Send, place: Inclusion & { readonly gasUsed: bigint }): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'mined', mined_hash = ${place.txHash}, mined_block = ${place.block}, mined_block_hash = ${place.blockHash},
      gas_used = ${place.gasUsed.toString()}, updated_at = now()
    where id = ${send.id} and state in ('signed', 'broadcast', 'mined') and mined_block_hash is distinct from ${place.blockHash}`
  return count > 0
}

export async function markUnmined(tx: TransactionSql, send: Send, blockHash: string): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'broadcast', mined_hash = null, mined_block = null, mined_block_hash = null, updated_at = now()
    where id = ${send.id} and state = 'mined' and mined_block_hash = ${blockHash}`
  return count > 0
}

export async function markConfirmed(tx: TransactionSql, send: Send, { txHash, blockHash }: Inclusion): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'confirmed', updated_at = now() where id = ${send.id} and state = 'mined' and mined_block_hash = ${blockHash}`
  if (count > 0) await markFinal(tx, txHash)
  return count > 0
}

/** This attempt has used its nonce in the end. */
export async function markFinal(tx: TransactionSql | Sql, txHash: string): Promise<void> {
  await tx`update send_attempts set is_final = true where tx_hash = ${txHash}`
}

export async function markRefused(tx: TransactionSql, send: Pick<Send, 'id'>, reason: string): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'refused', refusal = ${reason}, updated_at = now() where id = ${send.id} and state = 'queued'`
  return count > 0
}

/** An empty transaction finally used the nonce, so the send's own bytes can never be mined, and the send waits for another nonce. */
export async function markEmptied(
  tx: TransactionSql | Sql,
  send: Send,
  txHash: string,
  { isCounted, ms }: { readonly isCounted: boolean; readonly ms: number },
): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'queued', operator = null, nonce = null, signed_block = null, refusals = 0, failures = greatest(failures, 1),
      slots_emptied = slots_emptied + ${isCounted ? 1 : 0}, not_before = clock_timestamp() + ${ms} * interval '1 millisecond', updated_at = now()
    where id = ${send.id} and nonce = ${send.slot?.nonce ?? null} and state in ('signed', 'broadcast')`
  if (count > 0) await markFinal(tx, txHash)
  return count > 0
}

/** A transaction other than the send's own used the nonce, so the send waits for another nonce. */
export async function giveUpSlot(sql: Sql, send: Send, nonce: number): Promise<void> {
  await sql`
    update sends set state = 'queued', operator = null, nonce = null, signed_block = null, updated_at = now()
    where id = ${send.id} and nonce = ${nonce} and state in ('signed', 'broadcast')`
}

/** A reorganisation undid this final send, so it is in flight again with its old nonce and its old bytes. */
export async function markReopened(tx: TransactionSql, { id, txHash, blockHash }: FinalSend): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'broadcast', mined_hash = null, mined_block = null, mined_block_hash = null, reopened_at = now(), lost_at = null,
      failures = 0, not_before = null, updated_at = now()
    where id = ${id} and state = 'confirmed' and mined_block_hash = ${blockHash}`
  if (count > 0) await tx`update send_attempts set is_final = false where tx_hash = ${txHash}`
  return count > 0
}

/** A reorganisation undid this final send, and its second outcome was a failure, which an operator must see. */
export async function markLost(tx: TransactionSql, id: string): Promise<boolean> {
  const { count } = await tx`update sends set lost_at = now() where id = ${id} and reopened_at is not null`
  return count > 0
}
