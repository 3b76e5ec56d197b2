import type { Sql, TransactionSql } from 'postgres'
import type { SendRequest } from '../../sender.ts'
import type { Attempt, Place, Send } from './send.ts'

/** The sender's tables, and nothing else about them elsewhere. Every change of state names the state it starts from. */

export async function insertSend(
  sql: TransactionSql | Sql,
  { id, chainId, to, data, value, priority = 0, purpose }: SendRequest,
): Promise<void> {
  await sql`
    insert into sends (id, chain_id, to_address, data, value, kind, order_id, ref, priority)
    values (${id}, ${chainId}, ${to}, ${data}, ${value.toString()}, ${purpose.kind}, ${purpose.orderId}, ${purpose.ref}, ${priority})
    on conflict (id) do nothing`
}

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
  readonly attempts: readonly AttemptRow[]
}

interface AttemptRow {
  readonly tx_hash: string
  readonly raw: string
  readonly gas: string
  readonly max_fee: string
  readonly max_priority: string
  readonly age_ms: number
}

/** Whether anything is to be done: most looks at a queue end here, so this one is cheap. */
export async function hasOpenSends(sql: Sql, chainId: number): Promise<boolean> {
  const [row] = await sql`
    select exists (select from sends where chain_id = ${chainId} and state in ('queued', 'signed', 'broadcast', 'mined')) as open`
  return row?.open ?? false
}

/** In the order of the slots, then of the queue: by priority, then as they were asked for. */
export async function openSends(sql: Sql, chainId: number, states: readonly Send['state'][], limit: number): Promise<Send[]> {
  if (limit <= 0) return []
  const rows = await sql<Row[]>`
    select id, to_address, data, value::text, kind, order_id, ref, state, operator, nonce::int, signed_block::int,
      mined_hash, mined_block::int, mined_block_hash,
      coalesce((
        select json_agg(json_build_object('tx_hash', tx_hash, 'raw', raw, 'gas', gas::text, 'max_fee', max_fee::text,
          'max_priority', max_priority::text,
          'age_ms', floor(extract(epoch from clock_timestamp() - signed_at) * 1000)) order by signed_at)
        from send_attempts where send_id = sends.id), '[]') as attempts
    from sends where chain_id = ${chainId} and state in ${sql(states)}
    order by nonce nulls last, priority, position limit ${limit}`
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
  }))
}

const toAttempt = (row: AttemptRow): Attempt => ({
  txHash: row.tx_hash,
  raw: row.raw,
  gas: BigInt(row.gas),
  maxFeePerGas: BigInt(row.max_fee),
  maxPriorityFeePerGas: BigInt(row.max_priority),
  ageMs: row.age_ms,
})

/**
 * Which orders' settlements these transactions are, of those that are ours: any attempt ever signed counts. A payer's signed
 * authorisation also goes out by our hand, and that one is a payment.
 */
export async function ordersOfSends(sql: Sql, hashes: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql<{ tx_hash: string; order_id: string }[]>`
    select tx_hash, order_id from send_attempts join sends on sends.id = send_id where tx_hash = any(${hashes as string[]}) and kind in ('settlement', 'refund')`
  return new Map(rows.map((row) => [row.tx_hash, row.order_id]))
}

/** The first number that we have never signed with; undefined before the first. */
export async function nextNonce(sql: Sql, chainId: number, operator: string): Promise<number | undefined> {
  const [row] = await sql<{ next: number | null }[]>`
    select (max(nonce) + 1)::int as next from send_attempts where chain_id = ${chainId} and operator = ${operator}`
  return row?.next ?? undefined
}

/** Bytes signed for slots in [from, to): what a chain that went back further than its confirmations needs again. */
export async function bytesOfSlots(sql: Sql, chainId: number, operator: string, from: number, to: number): Promise<string[]> {
  const rows = await sql<{ raw: string }[]>`
    select raw from send_attempts where chain_id = ${chainId} and operator = ${operator} and nonce >= ${from} and nonce < ${to} order by nonce, signed_at`
  return rows.map(({ raw }) => raw)
}

/** Gives the slot to the send, if it is still waiting for one. */
export async function takeSlot(sql: Sql, send: Send, slot: NonNullable<Send['slot']>, attempt: Attempt): Promise<boolean> {
  return sql.begin(async (tx) => {
    const taken = await tx`
      update sends set state = 'signed', operator = ${slot.operator}, nonce = ${slot.nonce}, signed_block = ${slot.signedBlock}, updated_at = now()
      where id = ${send.id} and state = 'queued'`
    if (taken.count === 0) return false
    await insertAttempt(tx, send, slot, attempt)
    return true
  })
}

export async function insertAttempt(
  sql: TransactionSql | Sql,
  send: Send,
  slot: NonNullable<Send['slot']>,
  attempt: Attempt,
): Promise<void> {
  await sql`
    insert into send_attempts (tx_hash, send_id, chain_id, operator, nonce, raw, gas, max_fee, max_priority)
    values (${attempt.txHash}, ${send.id}, ${send.chainId}, ${slot.operator}, ${slot.nonce}, ${attempt.raw}, ${attempt.gas.toString()},
      ${attempt.maxFeePerGas.toString()}, ${attempt.maxPriorityFeePerGas.toString()})
    on conflict (tx_hash) do nothing`
}

/** Each of these says whether it was this call that changed it: only then is there something to report. */

export async function markAnnounced(tx: TransactionSql, send: Send, txHash: string): Promise<boolean> {
  await tx`update sends set state = 'broadcast', updated_at = now() where id = ${send.id} and state = 'signed'`
  const { count } = await tx`update send_attempts set announced = true where tx_hash = ${txHash} and not announced`
  return count > 0
}

export async function markMined(tx: TransactionSql, send: Send, place: Place): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'mined', mined_hash = ${place.txHash}, mined_block = ${place.block}, mined_block_hash = ${place.blockHash}, updated_at = now()
    where id = ${send.id} and state in ('signed', 'broadcast', 'mined') and mined_block_hash is distinct from ${place.blockHash}`
  return count > 0
}

export async function markUnmined(tx: TransactionSql, send: Send, blockHash: string): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'broadcast', mined_hash = null, mined_block = null, mined_block_hash = null, updated_at = now()
    where id = ${send.id} and state = 'mined' and mined_block_hash = ${blockHash}`
  return count > 0
}

export async function markConfirmed(tx: TransactionSql, send: Send, blockHash: string): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'confirmed', updated_at = now() where id = ${send.id} and state = 'mined' and mined_block_hash = ${blockHash}`
  return count > 0
}

export async function markRefused(tx: TransactionSql, send: Send, reason: string): Promise<boolean> {
  const { count } = await tx`
    update sends set state = 'refused', refusal = ${reason}, updated_at = now() where id = ${send.id} and state = 'queued'`
  return count > 0
}

/** The slot is lost to a transaction that is not ours; the send waits for another. */
export async function giveUpSlot(sql: Sql, send: Send, nonce: number): Promise<void> {
  await sql`
    update sends set state = 'queued', operator = null, nonce = null, signed_block = null, updated_at = now()
    where id = ${send.id} and nonce = ${nonce} and state in ('signed', 'broadcast')`
}
