import type { Sql, TransactionSql } from 'postgres'
import { transaction } from '../../../database/transaction.ts'
import type { Purpose, Spent } from '../../payouts.ts'
import { settleBatchCall } from '../factory-calls.ts'
import { sendById } from './queue.ts'
import { batchKind, type Inclusion, type Send } from './send.ts'

/**
 * A batch's row takes the nonce, and its members are 'batched' meanwhile, so none of them can be signed for. They leave only in the transaction
 * that records why the batch can never be mined any more, or that it is final and has not paid them.
 */

export interface Member extends Pick<Send, 'id' | 'chainId' | 'termsHash'> {
  readonly purpose: Purpose
  readonly data: string
  readonly isBatched: boolean
  readonly announced: readonly string[]
  readonly minedBlockHash: string | undefined
}

/** Returns undefined if one of them no longer waits for a nonce, as when another process was faster. */
export async function insertBatch(sql: Sql, members: readonly [Send, ...Send[]]): Promise<Send | undefined> {
  const [{ id: first, chainId, priority, tenant = null }] = members
  const ids = members.map((member) => member.id)
  const id = `batch:${first}`
  const call = settleBatchCall([members[0].call, ...members.slice(1).map((member) => member.call)])
  const isFormed = await transaction(sql, async (tx) => {
    const free = await tx`select id from sends where id in ${tx(ids)} and state = 'queued' and batch_id is null order by id for update`
    if (free.length < ids.length) return false
    // The batch takes the place of its oldest member in the queue.
    await tx`
      insert into sends (id, position, chain_id, to_address, data, value, kind, order_id, ref, priority, organization_id) overriding system value
      select ${id}, min(position), ${chainId}, ${call.to}, ${call.data}, 0, ${batchKind}, '', '', ${priority}, ${tenant} from sends where id in ${tx(ids)}`
    await tx`update sends set state = 'batched', batch_id = ${id}, updated_at = now() where id in ${tx(ids)}`
    return true
  })
  return isFormed ? sendById(sql, { id, chainId }) : undefined
}

/** Returns all that were ever in the batch, in the order of its call. */
export async function membersOf(sql: Sql | TransactionSql, { id, chainId }: Pick<Send, 'id' | 'chainId'>): Promise<readonly Member[]> {
  const rows = await sql<
    {
      id: string
      kind: string
      order_id: string
      ref: string
      state: string
      terms_hash: string | null
      data: string
      announced: string[]
      mined_block_hash: string | null
    }[]
  >`select id, kind, order_id, ref, state, terms_hash, data, announced, mined_block_hash from sends where batch_id = ${id} order by position`
  return rows.map((row) => ({
    id: row.id,
    chainId,
    purpose: { kind: row.kind, orderId: row.order_id, ref: row.ref },
    ...(row.terms_hash !== null && { termsHash: row.terms_hash }),
    data: row.data,
    isBatched: row.state === 'batched',
    announced: row.announced,
    minedBlockHash: row.mined_block_hash ?? undefined,
  }))
}

export async function markMemberAnnounced(tx: TransactionSql, { id }: Member, txHash: string): Promise<boolean> {
  const { count } = await tx`
    update sends set announced = announced || ${txHash}::text, updated_at = now()
    where id = ${id} and state = 'batched' and ${txHash} <> all(announced)`
  return count > 0
}

export async function markMemberMined(tx: TransactionSql, { id }: Member, { txHash, block, blockHash }: Inclusion): Promise<boolean> {
  const { count } = await tx`
    update sends set mined_hash = ${txHash}, mined_block = ${block}, mined_block_hash = ${blockHash}, updated_at = now()
    where id = ${id} and state = 'batched' and mined_block_hash is distinct from ${blockHash}`
  return count > 0
}

/** Some members may be confirmed already when the batch turns out to be gone, and they are 'batched' again. */
export async function markMemberUnmined(tx: TransactionSql, { id }: Member, { blockHash }: Pick<Inclusion, 'blockHash'>): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'batched', mined_hash = null, mined_block = null, mined_block_hash = null,
      reopened_at = case when state = 'confirmed' then now() else reopened_at end, lost_at = null, updated_at = now()
    where id = ${id} and state in ('batched', 'confirmed') and nonce is null and mined_block_hash = ${blockHash}`
  return count > 0
}

export async function markMemberConfirmed(
  tx: TransactionSql,
  batch: Pick<Send, 'id'>,
  { id }: Member,
  place: Inclusion,
  { gasUsed }: Spent,
): Promise<boolean> {
  if (!(await isMinedAt(tx, batch, place))) return false
  const { count } = await tx`
    update sends set state = 'confirmed', gas_used = ${gasUsed.toString()}, updated_at = now()
    where id = ${id} and state = 'batched' and mined_block_hash = ${place.blockHash}`
  return count > 0
}

/** The final transaction has not paid this member, so it goes alone, and its share of the costs is counted later. */
export async function markMemberLeft(sql: Sql, batch: Pick<Send, 'id'>, { id }: Member, place: Inclusion, share: Spent): Promise<void> {
  await transaction(sql, async (tx) => {
    if (!(await isMinedAt(tx, batch, place))) return
    await tx`
      update sends set state = 'queued', mined_hash = null, mined_block = null, mined_block_hash = null,
        spent_fee = ${share.fee.toString()}, spent_gas = ${share.gasUsed.toString()}, updated_at = now()
      where id = ${id} and state = 'batched'`
  })
}

async function isMinedAt(tx: TransactionSql, { id }: Pick<Send, 'id'>, { blockHash }: Inclusion): Promise<boolean> {
  const rows = await tx`select 1 from sends where id = ${id} and state = 'mined' and mined_block_hash = ${blockHash} for share`
  return rows.length > 0
}

/** Members that have left and were not signed for are 'batched' again, since the batch's bytes will be broadcast again. */
export async function takeBack(tx: TransactionSql, { id }: Pick<Send, 'id'>): Promise<void> {
  await tx`
    update sends set state = 'batched', spent_fee = 0, spent_gas = 0, updated_at = now()
    where batch_id = ${id} and state = 'queued' and nonce is null`
}

/** A batch that was never signed for, or whose nonce another transaction has used for good, ends, and its members go alone. */
export async function dissolve(tx: TransactionSql, { id, slot }: Send, reason: string): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'refused', refusal = ${reason}, operator = null, nonce = null, updated_at = now()
    where id = ${id} and nonce is not distinct from ${slot?.nonce ?? null} and state in ('queued', 'signed', 'broadcast')`
  if (count > 0) await tx`update sends set state = 'queued', updated_at = now() where batch_id = ${id} and state = 'batched'`
  return count > 0
}

/**
 * The batch is final and has paid nobody. Its bytes do not count as final, so if a reorganisation frees the nonce, an empty transaction
 * takes it (see spentSlots in queue.ts).
 */
export async function markBatchFailed(sql: Sql, { id }: Pick<Send, 'id'>, { blockHash }: Inclusion, reason: string): Promise<void> {
  await sql`
    update sends set state = 'refused', refusal = ${reason}, updated_at = now()
    where id = ${id} and state = 'mined' and mined_block_hash = ${blockHash}`
}
