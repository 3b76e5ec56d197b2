import type { Hex } from 'viem'
import type { Rpc } from '../chains/evm/rpc.ts'
import type { Sql } from '../database/connect.ts'
import { type Approval, approvalBy, putSignature } from './approvals.ts'
import { approvedSignature } from './check-guard.ts'

export interface ApprovalParts {
  readonly sql: Sql
  /** Returns undefined for a chain that is not configured. */
  readonly rpcOf: (chainId: number) => Rpc | undefined
}

export interface HandedIn {
  readonly digest: string
  readonly signature: Hex
  /** Without it the move may be any organisation's, as for an operator. */
  readonly organizationId?: string
}

export type SignResult =
  | { readonly state: 'signed'; readonly approval: Approval }
  /** No move with this digest waits, or its deadline has passed. */
  | { readonly state: 'unknown' }
  | { readonly state: 'not_configured' | 'not_accepted'; readonly approval: Approval }

/** Stores a signature that the move's guard accepts on its chain. Otherwise nothing is changed. The same one may be handed in again. */
export async function signApproval(
  { sql, rpcOf }: ApprovalParts,
  { digest, signature, organizationId }: HandedIn,
  signal: AbortSignal,
): Promise<SignResult> {
  const approval = await approvalBy(sql, digest, organizationId)
  if (!approval) return { state: 'unknown' }
  const rpc = rpcOf(approval.chainId)
  if (!rpc) return { state: 'not_configured', approval }
  const accepted = await approvedSignature(rpc, approval.guard, approval.digest, signature, signal)
  if (accepted === undefined) return { state: 'not_accepted', approval }
  await putSignature(sql, approval.digest, accepted)
  return { state: 'signed', approval: { ...approval, isSigned: true } }
}
