import type { Hex } from 'viem'
import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import { moveDigest } from '../chains/evm/move-digest.ts'
import type { GuardRequest } from '../chains/guard.ts'
import type { Sql } from '../database/connect.ts'
import { walletText } from './move-signer.ts'

/** A move that waits until a merchant's people sign for it. */
export interface OpenApproval {
  readonly digest: Hex
  readonly chainId: number
  readonly orderId: string
  readonly guard: string
  readonly typedData: string
  readonly deadline: Date
}

/** Returns the signature if there is one, and otherwise notes that one is needed. */
export async function signatureFor(sql: Sql, request: GuardRequest): Promise<Hex | undefined> {
  const digest = moveDigest(request)
  const [known] = await sql<{ signature: Hex | null }[]>`select signature from guard_approvals where digest = ${digest}`
  if (known) return known.signature ?? undefined
  await sql`
    insert into guard_approvals ${sql({
      digest,
      chain_id: request.chainId,
      order_id: request.terms.order_id,
      guard: canonicalIn('evm', request.terms.guard),
      typed_data: walletText(request),
      deadline: new Date(Number(request.move.deadline) * 1000),
    })} on conflict do nothing`
  return undefined
}

export async function openApprovals(sql: Sql): Promise<OpenApproval[]> {
  const rows = await sql`
    select * from guard_approvals where signature is null and deadline > now() order by asked_at, digest`
  return rows.map((row) => ({
    digest: row.digest,
    chainId: row.chain_id,
    orderId: row.order_id,
    guard: row.guard,
    typedData: row.typed_data,
    deadline: row.deadline,
  }))
}

/** The caller has verified the signature. */
export async function putSignature(sql: Sql, digest: Hex, signature: Hex): Promise<void> {
  await sql`update guard_approvals set signature = ${signature} where digest = ${digest}`
}
