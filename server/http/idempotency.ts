import type { Sql, Tx } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'

export interface StoredAnswer {
  readonly status: number
  readonly answer: string
}

export interface IdempotentCall {
  readonly organizationId: string
  readonly operation: string
  readonly key: string
  readonly bodyHash: string
}

/** Work and answer commit together. For 24 hours another call with the key waits for the answer, or gets undefined if the bodies differ. */
export async function withIdempotency<T extends StoredAnswer>(
  sql: Sql,
  call: IdempotentCall,
  work: (tx: Tx) => Promise<T>,
): Promise<T | StoredAnswer | undefined> {
  const { organizationId, operation, key, bodyHash } = call
  return transaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`${organizationId} ${operation} ${key}`}, 4020))`
    const [before] = await tx`
      select body_hash, status, answer from idempotency
      where organization_id = ${organizationId} and operation = ${operation} and key = ${key} and created_at > now() - interval '24 hours'`
    if (before) return before.body_hash === bodyHash ? { status: before.status as number, answer: before.answer as string } : undefined
    const done = await work(tx)
    const row = { organization_id: organizationId, operation, key, body_hash: bodyHash, status: done.status, answer: done.answer }
    await tx`
      insert into idempotency ${tx(row)}
      on conflict (organization_id, operation, key) do update set ${tx({ body_hash: bodyHash, status: done.status, answer: done.answer })}, created_at = now()`
    return done
  })
}

export async function forgetOldAnswers(sql: Sql): Promise<void> {
  await sql`delete from idempotency where created_at < now() - interval '24 hours'`
}
