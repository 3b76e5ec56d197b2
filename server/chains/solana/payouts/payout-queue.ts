import type { Sql, Tx } from '../../../database/connect.ts'
import { dueInTurns } from '../../due-in-turns.ts'
import { isEnqueued } from '../../is-enqueued.ts'
import type { Leg, Payout, PayoutMetrics, Purpose } from '../../payouts.ts'

/** Every change of state below names the states that it may start from, so that two processes cannot both make it. */

/** Most payouts pay. Others open or close an account for a token, or send what a payer has signed, whose fee the operator pays. */
export type Task = 'pay' | 'open' | 'close' | 'countersign'

export interface QueuedPayout {
  readonly id: string
  readonly task: Task
  /** What a payer has signed, in base64. */
  readonly given: string | undefined
  /** Its place in the queue, which no other payout has. */
  readonly position: number
  readonly orderId: string
  readonly purpose: Purpose
  readonly token: string | null
  readonly legs: readonly Leg[]
  /** Nothing is paid unless the first leg is. */
  readonly firstDecides: boolean
  readonly failures: number
}

export interface SentPayout extends QueuedPayout {
  readonly attempt: Attempt
  readonly announced: readonly string[]
  readonly minedSlot: number | undefined
}

export interface Attempt {
  readonly signature: string
  /** In base64. */
  readonly raw: string
  readonly lastValidHeight: number
  readonly paid: readonly boolean[]
  readonly dust: bigint
}

interface PayoutRow {
  readonly id: string
  readonly task: Task
  readonly given: string | null
  readonly position: number
  readonly order_id: string
  readonly kind: string
  readonly ref: string
  readonly token: string | null
  readonly legs: readonly { readonly to: string; readonly amount: string }[]
  readonly first_decides: boolean
  readonly failures: number
}

interface SentRow extends PayoutRow {
  readonly announced: readonly string[]
  readonly mined_slot: number | null
  readonly signature: string
  readonly raw: string
  readonly last_valid_height: number
  readonly paid: readonly boolean[]
  readonly dust: string
}

export async function insertPayout(sql: Tx | Sql, chainId: number, payout: Payout): Promise<void> {
  const { id, orderId, token, legs, reason, priority = 0, tenant, purpose } = payout
  const rows = legs.map(({ to, amount }) => ({ to, amount: amount.toString() }))
  if (await isEnqueued(sql, 'solana_payouts', id)) return
  await sql`
    insert into solana_payouts (id, chain_id, order_id, kind, ref, token, legs, first_decides, priority, organization_id)
    values (${id}, ${chainId}, ${orderId}, ${purpose.kind}, ${purpose.ref}, ${token}, ${sql.json(rows)}, ${reason === undefined}, ${priority},
      ${tenant ?? null})
    on conflict (id) do nothing`
}

export type TaskRequest = Pick<Payout, 'id' | 'priority' | 'tenant' | 'purpose'> & { readonly token: string } & (
    | { readonly task: 'open' | 'close' }
    | { readonly task: 'countersign'; readonly given: string; readonly messageHash: string }
  )

export async function insertTask(sql: Tx | Sql, chainId: number, request: TaskRequest): Promise<void> {
  const { id, task, token, priority = 0, tenant, purpose } = request
  const { given, messageHash } = request.task === 'countersign' ? request : { given: null, messageHash: null }
  if (await isEnqueued(sql, 'solana_payouts', id)) return
  await sql`
    insert into solana_payouts (id, chain_id, order_id, kind, ref, token, legs, first_decides, priority, organization_id, task, given, message_hash)
    values (${id}, ${chainId}, ${purpose.orderId}, ${purpose.kind}, ${purpose.ref}, ${token}, '[]', false, ${priority}, ${tenant ?? null},
      ${task}, ${given}, ${messageHash})
    on conflict (id) do nothing`
}

/** Most polls end after this query, so it must be cheap. */
export async function hasOpenPayouts(sql: Sql, chainId: number): Promise<boolean> {
  const [row] = await sql`
    select exists (select from solana_payouts where chain_id = ${chainId} and state in ('queued', 'sent')) as open`
  return row?.open ?? false
}

const queuedOf = ({ id, task, given, position, order_id, kind, ref, token, legs, first_decides, failures }: PayoutRow): QueuedPayout => ({
  id,
  task,
  given: given ?? undefined,
  position,
  orderId: order_id,
  purpose: { kind, orderId: order_id, ref },
  token,
  legs: legs.map(({ to, amount }) => ({ to, amount: BigInt(amount) })),
  firstDecides: first_decides,
  failures,
})

export async function payoutsDue(sql: Sql, chainId: number, limit: number): Promise<readonly QueuedPayout[]> {
  const ids = await dueInTurns(sql, { queue: 'solana_payouts', chainId }, limit)
  const rows = await sql<PayoutRow[]>`
    select id, task, given, position::int, order_id, kind, ref, token, legs, first_decides, failures from solana_payouts
    where id = any(${ids}::text[]) and state = 'queued' order by array_position(${ids}::text[], id)`
  return rows.map(queuedOf)
}

export async function sentPayouts(sql: Sql, chainId: number): Promise<readonly SentPayout[]> {
  const rows = await sql<SentRow[]>`
    select p.id, p.task, p.given, p.position::int, p.order_id, p.kind, p.ref, p.token, p.legs, p.first_decides, p.failures, p.announced, p.mined_slot::int,
      a.signature, a.raw, a.last_valid_height::int, a.paid, a.dust::text
    from solana_payouts p join solana_attempts a on a.chain_id = p.chain_id and a.signature = p.signature
    where p.chain_id = ${chainId} and p.state = 'sent' order by p.priority, p.position`
  return rows.map((row) => ({
    ...queuedOf(row),
    announced: row.announced,
    minedSlot: row.mined_slot ?? undefined,
    attempt: {
      signature: row.signature,
      raw: row.raw,
      lastValidHeight: row.last_valid_height,
      paid: row.paid,
      dust: BigInt(row.dust),
    },
  }))
}

/** Stores a signed transaction before anybody sees it, unless another process has taken the payout. */
export async function insertAttempt(tx: Tx, chainId: number, payoutId: string, attempt: Attempt): Promise<boolean> {
  const { signature, raw, lastValidHeight, paid, dust } = attempt
  const { count } = await tx`
    update solana_payouts set state = 'sent', signature = ${signature}, mined_slot = null, not_before = null, problem = null, updated_at = now()
    where id = ${payoutId} and state = 'queued'`
  if (count === 0) return false
  await tx`
    insert into solana_attempts (chain_id, signature, payout_id, raw, last_valid_height, paid, dust)
    values (${chainId}, ${signature}, ${payoutId}, ${raw}, ${lastValidHeight}, ${tx.json(paid as never)}, ${dust.toString()})`
  return true
}

/** Postpones a payout, so that others go ahead. */
export async function postpone(sql: Sql, id: string, ms: number, problem: string): Promise<void> {
  await sql`
    update solana_payouts set not_before = clock_timestamp() + ${ms} * interval '1 millisecond', failures = failures + 1, problem = ${problem},
      updated_at = now()
    where id = ${id} and state = 'queued'`
}

export async function markFailed(tx: Tx, id: string, problem: string): Promise<boolean> {
  const { count } = await tx`
    update solana_payouts set state = 'failed', problem = ${problem}, updated_at = now() where id = ${id} and state in ('queued', 'sent')`
  return count > 0
}

export async function markAnnounced(tx: Tx, id: string, signature: string): Promise<boolean> {
  const { count } = await tx`
    update solana_payouts set announced = announced || ${signature}::text, updated_at = now()
    where id = ${id} and state = 'sent' and not ${signature} = any(announced)`
  return count > 0
}

export async function markMined(tx: Tx, id: string, signature: string, slot: number): Promise<boolean> {
  const { count } = await tx`
    update solana_payouts set mined_slot = ${slot}, updated_at = now()
    where id = ${id} and state = 'sent' and signature = ${signature} and mined_slot is null`
  return count > 0
}

export async function markUnmined(tx: Tx, id: string, signature: string): Promise<boolean> {
  const { count } = await tx`
    update solana_payouts set mined_slot = null, updated_at = now()
    where id = ${id} and state = 'sent' and signature = ${signature} and mined_slot is not null`
  return count > 0
}

export async function markConfirmed(tx: Tx, id: string, signature: string): Promise<boolean> {
  const { count } = await tx`
    update solana_payouts set state = 'confirmed', updated_at = now() where id = ${id} and state = 'sent' and signature = ${signature}`
  return count > 0
}

/** Its transaction can never be included any more, or has failed for good, so another one may be signed. */
export async function requeue(sql: Sql, { id, attempt }: SentPayout, problem: string, waitMs: number): Promise<void> {
  await sql`
    update solana_payouts set state = 'queued', failures = failures + 1, problem = ${problem},
      not_before = clock_timestamp() + ${waitMs} * interval '1 millisecond', updated_at = now()
    where id = ${id} and state = 'sent' and signature = ${attempt.signature} and mined_slot is null`
}

/** Whoever has signed a transaction that we send has paid, so it is not one of ours. */
export async function ordersOfTransactions(sql: Sql, signatures: readonly string[]): Promise<Map<string, Set<string>>> {
  const rows = await sql<{ signature: string; order_id: string }[]>`
    select solana_attempts.signature, order_id from solana_attempts
    join solana_payouts on solana_payouts.id = solana_attempts.payout_id
    where solana_attempts.signature = any(${signatures as string[]}) and task <> 'countersign'`
  return new Map(rows.map(({ signature, order_id }) => [signature, new Set([order_id])]))
}

export async function isSent(sql: Sql, chainId: number, signature: string): Promise<boolean> {
  const rows = await sql`select from solana_attempts where chain_id = ${chainId} and signature = ${signature}`
  return rows.length > 0
}

/** What the queue knows of a task. */
export interface TaskState {
  readonly state: 'queued' | 'sent' | 'confirmed' | 'failed'
  readonly signature: string | undefined
  /** The cluster has confirmed its transaction in this slot. */
  readonly minedSlot: number | undefined
}

export async function taskState(sql: Sql | Tx, id: string): Promise<TaskState | undefined> {
  const [row] = await sql<TaskStateRow[]>`select state, signature, mined_slot::int from solana_payouts where id = ${id}`
  return row && taskStateOf(row)
}

/** Returns what has become of what a payer has signed, by the hash of its message. */
export async function countersignedState(sql: Sql | Tx, chainId: number, messageHash: string): Promise<TaskState | undefined> {
  const [row] = await sql<TaskStateRow[]>`
    select state, signature, mined_slot::int from solana_payouts
    where message_hash = ${messageHash} and chain_id = ${chainId} order by position desc limit 1`
  return row && taskStateOf(row)
}

/** Returns in which slot the order's last account was opened. A node that is behind it does not know the account. */
export async function openedInSlot(sql: Sql, chainId: number, orderId: string): Promise<number> {
  const [row] = await sql<{ slot: number | null }[]>`
    select max(mined_slot)::int as slot from solana_payouts where chain_id = ${chainId} and order_id = ${orderId} and task = 'open'`
  return row?.slot ?? 0
}

type TaskStateRow = { readonly state: TaskState['state']; readonly signature: string | null; readonly mined_slot: number | null }

const taskStateOf = ({ state, signature, mined_slot }: TaskStateRow): TaskState => ({
  state,
  signature: signature ?? undefined,
  minedSlot: mined_slot ?? undefined,
})

export async function keyOfOrder(sql: Sql, orderId: string): Promise<{ readonly index: number; readonly address: string } | undefined> {
  const [row] = await sql<{ index: number; address: string }[]>`
    select key_index::int as index, address from solana_addresses where order_id = ${orderId}`
  return row
}

export async function payoutMetrics(sql: Sql, chainId: number): Promise<PayoutMetrics> {
  const [row] = await sql<{ unsent: number | null; unmined: number | null; unsettled: number | null }[]>`
    select
      extract(epoch from clock_timestamp() - min(created_at) filter (where state = 'queued'))::int as unsent,
      extract(epoch from clock_timestamp() - min(created_at) filter (where state = 'sent' and mined_slot is null))::int as unmined,
      extract(epoch from clock_timestamp() - min(created_at))::int as unsettled
    from solana_payouts where chain_id = ${chainId} and state in ('queued', 'sent')`
  return {
    oldestUnsent: row?.unsent ?? undefined,
    oldestUnmined: row?.unmined ?? undefined,
    oldestUnsettled: row?.unsettled ?? undefined,
    // What the cluster has finalized it never undoes.
    reopened: 0,
    lost: 0,
  }
}
