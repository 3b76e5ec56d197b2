import type { Hex } from 'viem'
import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import { MoveTypedData } from '../../src/wire/guard-move.ts'
import { moveDigest } from '../chains/evm/move-digest.ts'
import type { GuardRequest } from '../chains/guard.ts'
import type { Sql } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { walletText } from './move-signer.ts'

/** A move that a merchant's people sign for. */
export interface Approval {
  readonly digest: Hex
  readonly chainId: ChainId
  readonly orderId: string
  readonly guard: string
  readonly typedData: MoveTypedData
  readonly isSigned: boolean
  readonly askedAt: Date
  readonly deadline: Date
}

/**
 * Returns the signature if there is one, and otherwise notes that one is needed. The same move is asked for with a later deadline shortly before
 * the earlier one passes, and then only the later one is of use.
 */
export async function signatureFor(sql: Sql, request: GuardRequest): Promise<Hex | undefined> {
  const digest = moveDigest(request)
  const [known] = await sql<{ signature: Hex | null }[]>`select signature from guard_approvals where digest = ${digest}`
  if (known) return known.signature ?? undefined
  const deadline = new Date(Number(request.move.deadline) * 1000)
  await transaction(sql, async (tx) => {
    await tx`
      delete from guard_approvals where order_id = ${request.terms.order_id} and chain_id = ${request.chainId} and signature is null and deadline < ${deadline}
        and typed_data::jsonb -> 'message' ->> 'nonce' = ${request.move.nonce.toString()}`
    await tx`
      insert into guard_approvals ${tx({
        digest,
        chain_id: request.chainId,
        order_id: request.terms.order_id,
        guard: canonicalIn('evm', request.terms.guard),
        typed_data: walletText(request),
        deadline,
      })} on conflict do nothing`
  })
  return undefined
}

interface Row {
  readonly digest: Hex
  readonly chain_id: string
  readonly order_id: string
  readonly guard: string
  readonly typed_data: string
  readonly signed: boolean
  readonly asked_at: Date
  readonly deadline: Date
}

/** An operator may see the moves of all organisations. */
const ofOrganization = (sql: Sql, organizationId: string | undefined) =>
  organizationId === undefined ? sql`true` : sql`order_id in (select id from orders where organization_id = ${organizationId})`

const columns = (sql: Sql) => sql`digest, chain_id, order_id, guard, typed_data, signature is not null as signed, asked_at, deadline`

const approvalOf = (row: Row): Approval => ({
  digest: row.digest,
  chainId: Number(row.chain_id) as ChainId,
  orderId: row.order_id,
  guard: row.guard,
  typedData: MoveTypedData.parse(JSON.parse(row.typed_data)),
  isSigned: row.signed,
  askedAt: row.asked_at,
  deadline: row.deadline,
})

export interface ApprovalsPage {
  readonly organizationId?: string
  readonly limit?: number
  readonly offset?: number
}

/** Lists what waits for a signature, oldest first. */
export async function openApprovals(
  sql: Sql,
  { organizationId, limit, offset = 0 }: ApprovalsPage = {},
): Promise<{ readonly approvals: Approval[]; readonly total: number }> {
  const isOpen = sql`signature is null and deadline > now() and ${ofOrganization(sql, organizationId)}`
  const rows = await sql<Row[]>`
    select ${columns(sql)} from guard_approvals where ${isOpen} order by asked_at, digest limit ${limit ?? null} offset ${offset}`
  const [counted] = await sql<{ total: number }[]>`select count(*)::int as total from guard_approvals where ${isOpen}`
  return { approvals: rows.map(approvalOf), total: counted?.total ?? 0 }
}

/** Finds a move whose deadline has not passed, whether it is signed or not. */
export async function approvalBy(sql: Sql, digest: string, organizationId?: string): Promise<Approval | undefined> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from guard_approvals
    where digest = ${digest} and deadline > now() and ${ofOrganization(sql, organizationId)}`
  return row && approvalOf(row)
}

/** The caller has verified the signature. The first one stays. */
export async function putSignature(sql: Sql, digest: Hex, signature: Hex): Promise<void> {
  await sql`update guard_approvals set signature = ${signature} where digest = ${digest} and signature is null`
}
