import type { Sql, TransactionSql } from 'postgres'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Call, Receipt } from './chain.ts'

/**
 * All transactions of the service go through this queue in PostgreSQL. Any process may enqueue, and the process with the chain's lease
 * signs, stores the bytes, and only then broadcasts. A replacement keeps the nonce, and every hash of a nonce stays stored, since any of
 * them may be mined. After a crash the same bytes are broadcast again.
 */
export interface Sender {
  /** Enqueues in the caller's transaction, so the send exists if and only if its cause was recorded. An id is enqueued only once. */
  enqueue(sql: TransactionSql | Sql, request: SendRequest): Promise<void>
  run(chainId: ChainId, report: Report, signal: AbortSignal): Promise<void>
}

export interface SendRequest extends Call {
  readonly id: string
  readonly chainId: ChainId
  /** A call that needs more gas is refused before it gets a nonce. Without a cap the chain's own limit applies. */
  readonly gasCap?: bigint
  /** Lower numbers go first, regardless of age. The default is 0. */
  readonly priority?: number
  /** The purpose is opaque to the sender, which passes it back with every outcome. */
  readonly purpose: SendPurpose
}

export interface SendPurpose {
  readonly kind: string
  readonly orderId: string
  readonly ref: string
}

/** The sender calls a report inside the transaction that marks the outcome. If it throws, both roll back and it is called again. */
export type Report = (
  sql: TransactionSql,
  send: { readonly id: string; readonly chainId: ChainId; readonly purpose: SendPurpose },
  outcome: SendOutcome,
) => Promise<void>

export type SendOutcome =
  | { readonly state: 'broadcast'; readonly txHash: string }
  | { readonly state: 'mined'; readonly receipt: Receipt }
  /** A reorganisation removed the block, possibly after it was final. The sender broadcasts the transaction again by itself. */
  | { readonly state: 'unmined'; readonly txHash: string }
  /** The transaction is final. A reverted transaction is also confirmed, with `receipt.ok` false. */
  | { readonly state: 'confirmed'; readonly receipt: Receipt }
  /** The simulation failed before the send got a nonce, or no node accepts the bytes. */
  | { readonly state: 'refused'; readonly reason: string; readonly cause: 'reverts' | 'gas' | 'bytes' }
