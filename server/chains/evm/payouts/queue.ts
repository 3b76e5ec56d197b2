import type { Sql, TransactionSql } from 'postgres'
import { dueInTurns } from '../../due-in-turns.ts'
import { isEnqueued } from '../../is-enqueued.ts'
import type { Purpose } from '../../payouts.ts'
import { moveRow } from '../unsigned-move.ts'
import type { Attempt, Send, SendRequest } from './send.ts'

/** More orders would save little more per order, and a transaction that fails would hold up more of them. */
export const mostInBatch = 20

export async function insertSend(sql: TransactionSql | Sql, request: SendRequest): Promise<void> {
  const { id, chainId, to, data, value, gasCap, priority = 0, purpose, termsHash, move, tenant, mayShare = false } = request
  if (await isEnqueued(sql, 'sends', id)) return
  await sql`
    insert into sends (id, chain_id, to_address, data, value, gas_cap, kind, order_id, ref, priority, terms_hash, move, organization_id, tenant)
    values (${id}, ${chainId}, ${to}, ${data}, ${value.toString()}, ${gasCap?.toString() ?? null}, ${purpose.kind}, ${purpose.orderId},
      ${purpose.ref}, ${priority}, ${termsHash ?? null}, ${move ? sql.json(moveRow(move)) : null}, ${tenant ?? null},
      ${mayShare ? (tenant ?? null) : null})
    on conflict (id) do nothing`
}

type Fragment = ReturnType<Sql>

interface Row {
  readonly id: string
  readonly to_address: string
  readonly data: string
  readonly value: string
  readonly kind: string
  readonly order_id: string
  readonly ref: string
  readonly state: Send['state']
  readonly operator: string | null
  readonly nonce: number | null
  readonly signed_block: number | null
  readonly mined_hash: string | null
  readonly mined_block: number | null
  readonly mined_block_hash: string | null
  readonly gas_cap: string | null
  readonly terms_hash: string | null
  readonly failures: number
  readonly is_backing_off: boolean
  readonly problem: string | null
  readonly refusals: number
  readonly slots_emptied: number
  readonly waits_for: number | null
  readonly priority: number
  readonly owner: string | null
  readonly may_share: boolean
  readonly spent_fee: string
  readonly spent_gas: string
  readonly attempts: readonly AttemptRow[]
}

interface AttemptRow {
  readonly tx_hash: string
  readonly nonce: number
  readonly is_empty: boolean
  readonly raw: string
  readonly gas: string
  readonly max_fee: string
  readonly max_priority: string
  readonly age_ms: number
}

/** Most polls end after this query, so it must be cheap. */
export async function hasOpenSends(sql: Sql, chainId: number): Promise<boolean> {
  const [row] = await sql`
    select exists (select from sends where chain_id = ${chainId} and state in ('queued', 'signed', 'broadcast', 'mined')) as open`
  return row?.open ?? false
}

/** Selects sends that hold a nonce, in the order of their nonces. */
export const sendsWithNonce = (sql: Sql, chainId: number, states: readonly Send['state'][], limit: number): Promise<Send[]> =>
  selectSends(sql, chainId, sql`state in ${sql(states)} order by nonce limit ${limit}`)

/** A send that was signed for, has failed or has left a batch is sent alone. */
const mayShare = (sql: Sql) => sql`
  tenant is not null and batch_id is null and failures = 0 and waits_for is null and not exists (select from send_attempts where send_id = sends.id)`

/**
 * Selects sends that wait for a nonce, by priority and then as tenants take turns, without those that back off or that the guard still has to
 * sign for.
 */
export async function sendsDue(sql: Sql, chainId: number, limit: number): Promise<Send[]> {
  if (limit <= 0) return []
  const when = sql`(move is null or approved_until > clock_timestamp())`
  const shared = { when: mayShare(sql), most: mostInBatch }
  const ids = await dueInTurns(sql, { queue: 'sends', chainId, when, shared, inFlight: ['signed', 'broadcast'] }, limit)
  return selectSends(sql, chainId, sql`id = any(${ids}::text[]) and state = 'queued' order by array_position(${ids}::text[], id)`)
}

export const sendById = async (sql: Sql, { id, chainId }: Pick<Send, 'id' | 'chainId'>): Promise<Send | undefined> =>
  (await selectSends(sql, chainId, sql`id = ${id}`))[0]

async function selectSends(sql: Sql, chainId: number, which: Fragment): Promise<Send[]> {
  const rows = await sql<Row[]>`
    select id, to_address, data, value::text, kind, order_id, ref, state, operator, nonce::int, signed_block::int,
      mined_hash, mined_block::int, mined_block_hash, gas_cap::text, terms_hash, failures,
      coalesce(not_before > clock_timestamp(), false) as is_backing_off, problem, refusals, slots_emptied, waits_for::int,
      priority, coalesce(tenant, organization_id) as owner, ${mayShare(sql)} as may_share, spent_fee::text, spent_gas::text,
      coalesce((
        select json_agg(json_build_object('tx_hash', tx_hash, 'nonce', send_attempts.nonce, 'is_empty', is_empty, 'raw', raw,
          'gas', gas::text, 'max_fee', max_fee::text, 'max_priority', max_priority::text,
          'age_ms', floor(extract(epoch from clock_timestamp() - signed_at) * 1000)) order by signed_at)
        from send_attempts where send_id = sends.id), '[]') as attempts
    from sends where chain_id = ${chainId} and ${which}`
  return rows.map((row) => ({
    id: row.id,
    chainId: chainId as Send['chainId'],
    purpose: { kind: row.kind, orderId: row.order_id, ref: row.ref },
    call: { to: row.to_address, data: row.data, value: BigInt(row.value) },
    state: row.state,
    slot:
      row.operator === null || row.nonce === null
        ? undefined
        : { operator: row.operator, nonce: row.nonce, signedBlock: row.signed_block ?? 0 },
    mined:
      row.mined_hash === null || row.mined_block === null || row.mined_block_hash === null
        ? undefined
        : { txHash: row.mined_hash, block: row.mined_block, blockHash: row.mined_block_hash },
    attempts: row.attempts.map(toAttempt),
    gasCap: row.gas_cap === null ? undefined : BigInt(row.gas_cap),
    ...(row.terms_hash !== null && { termsHash: row.terms_hash }),
    failures: row.failures,
    isBackingOff: row.is_backing_off,
    lastProblem: row.problem ?? undefined,
    refusals: row.refusals,
    slotsEmptied: row.slots_emptied,
    waitsFor: row.waits_for ?? undefined,
    priority: row.priority,
    tenant: row.owner ?? undefined,
    mayShare: row.may_share,
    spentBefore: { fee: BigInt(row.spent_fee), gasUsed: BigInt(row.spent_gas) },
  }))
}

const toAttempt = (row: AttemptRow): Attempt => ({
  txHash: row.tx_hash,
  nonce: row.nonce,
  isEmpty: row.is_empty,
  raw: row.raw,
  gas: BigInt(row.gas),
  maxFeePerGas: BigInt(row.max_fee),
  maxPriorityFeePerGas: BigInt(row.max_priority),
  ageMs: row.age_ms,
})

/** Returns undefined for a send that was never enqueued. */
export async function sendStatus(
  sql: Sql,
  id: string,
): Promise<{ readonly state: Send['state']; readonly minedHash: string | undefined } | undefined> {
  const [row] = await sql<Pick<Row, 'state' | 'mined_hash'>[]>`select state, mined_hash from sends where id = ${id}`
  return row && { state: row.state, minedHash: row.mined_hash ?? undefined }
}

export async function sendIdsOf(sql: TransactionSql | Sql, orderId: string, kind: string): Promise<string[]> {
  const rows = await sql<Pick<Row, 'id'>[]>`select id from sends where order_id = ${orderId} and kind = ${kind}`
  return rows.map(({ id }) => id)
}

/** Returns the lowest nonce above all that we have signed with, or undefined before the first signature. */
export async function nextNonce(sql: Sql, chainId: number, operator: string): Promise<number | undefined> {
  const [row] = await sql<{ next: number | null }[]>`
    select (max(nonce) + 1)::int as next from send_attempts where chain_id = ${chainId} and operator = ${operator}`
  return row?.next ?? undefined
}

export interface SpentSlot {
  readonly nonce: number
  readonly sendId: string
  readonly txHash: string
  readonly raw: string
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Only safe bytes, which were final here or are empty, may be broadcast again. Others would repeat a send that has another nonce now. */
  readonly isSafe: boolean
}

/** Returns, for each nonce in [from, to) that we signed with, the transaction that was final, or else an empty one, or else the latest. */
export async function spentSlots(sql: Sql, chainId: number, operator: string, from: number, to: number): Promise<SpentSlot[]> {
  const rows = await sql<
    { nonce: number; send_id: string; tx_hash: string; raw: string; max_fee: string; max_priority: string; safe: boolean }[]
  >`
    select distinct on (nonce) nonce::int, send_id, tx_hash, raw, max_fee::text, max_priority::text, is_final or is_empty as safe
    from send_attempts where chain_id = ${chainId} and operator = ${operator} and nonce >= ${from} and nonce < ${to}
    order by nonce, is_final desc, is_empty desc, signed_at desc`
  return rows.map((row) => ({
    nonce: row.nonce,
    sendId: row.send_id,
    txHash: row.tx_hash,
    raw: row.raw,
    maxFeePerGas: BigInt(row.max_fee),
    maxPriorityFeePerGas: BigInt(row.max_priority),
    isSafe: row.safe,
  }))
}

export async function insertAttempt(
  sql: TransactionSql | Sql,
  send: Pick<Send, 'id' | 'chainId'>,
  { operator }: Pick<NonNullable<Send['slot']>, 'operator'>,
  attempt: Attempt,
): Promise<void> {
  await sql`
    insert into send_attempts (tx_hash, send_id, chain_id, operator, nonce, is_empty, raw, gas, max_fee, max_priority)
    values (${attempt.txHash}, ${send.id}, ${send.chainId}, ${operator}, ${attempt.nonce}, ${attempt.isEmpty}, ${attempt.raw},
      ${attempt.gas.toString()}, ${attempt.maxFeePerGas.toString()}, ${attempt.maxPriorityFeePerGas.toString()})
    on conflict (tx_hash) do nothing`
}

export interface FinalSend extends Pick<Send, 'id' | 'chainId'> {
  readonly purpose: Purpose
  readonly txHash: string
  readonly block: number
  readonly blockHash: string
}

/**
 * Selects confirmed sends that may no longer be final, newest first. With an ancestor, these are the sends in blocks above it, just before
 * those blocks are deleted. Without one, these are sends whose block differs from the stored block of the same number. A batch stands for its
 * members.
 */
export async function finalSendsGone(sql: Sql, chainId: number, ancestor?: number): Promise<FinalSend[]> {
  const isGone =
    ancestor === undefined
      ? sql`mined_block >= (select min(block) from chain_blocks where chain_id = ${chainId}) and hash <> mined_block_hash`
      : sql`mined_block > ${ancestor} and hash = mined_block_hash`
  const rows = await sql<
    { id: string; kind: string; order_id: string; ref: string; mined_hash: string; mined_block: number; mined_block_hash: string }[]
  >`
    select id, kind, order_id, ref, mined_hash, mined_block::int, mined_block_hash from sends
    join chain_blocks on chain_blocks.chain_id = sends.chain_id and block = mined_block
    where sends.chain_id = ${chainId} and state = 'confirmed' and nonce is not null and ${isGone} order by nonce desc`
  return rows.map((row) => ({
    id: row.id,
    chainId: chainId as Send['chainId'],
    purpose: { kind: row.kind, orderId: row.order_id, ref: row.ref },
    txHash: row.mined_hash,
    block: row.mined_block,
    blockHash: row.mined_block_hash,
  }))
}
