import type { Sql, TransactionSql } from 'postgres'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Call, Receipt } from './chain.ts'

/**
 * The only way to send transactions to a chain. Each operator account has one queue per chain in PostgreSQL, ordered by nonce. Any process
 * may enqueue; the process that holds the chain's lease signs, stores the bytes, and only then broadcasts. A replacement keeps the nonce,
 * every hash of a nonce is remembered, and any of them may be the one that confirms. After a crash the same bytes are broadcast again.
 */
export interface Sender {
  /**
   * Enqueues in the caller's transaction, so the send exists if and only if the fact that asked for it does. The same id is enqueued once.
   */
  enqueue(sql: TransactionSql | Sql, request: SendRequest): Promise<void>
  /** Runs the chain's queue until the signal aborts: sign, store, broadcast, confirm, replace, report. */
  run(chainId: ChainId, report: Report, signal: AbortSignal): Promise<void>
}

export interface SendRequest extends Call {
  readonly id: string
  readonly chainId: ChainId
  /** The most gas that may be signed for it. A call that needs more is refused before it gets a nonce. Absent: the chain's limit. */
  readonly gasCap?: bigint
  /** Lower numbers go first, regardless of age; 0 by default. */
  readonly priority?: number
  /** Opaque to the sender, and passed back with every outcome. */
  readonly purpose: SendPurpose
}

export interface SendPurpose {
  readonly kind: string
  readonly orderId: string
  readonly ref: string
}

/** Called inside the transaction that marks the outcome reported, at least once per outcome; if it throws, the outcome stays unreported. */
export type Report = (
  sql: TransactionSql,
  send: { readonly id: string; readonly chainId: ChainId; readonly purpose: SendPurpose },
  outcome: SendOutcome,
) => Promise<void>

export type SendOutcome =
  | { readonly state: 'broadcast'; readonly txHash: string }
  /** In a block, not yet final. */
  | { readonly state: 'mined'; readonly receipt: Receipt }
  /** A reorganisation removed its block, possibly after it was confirmed; the sender broadcasts again by itself. */
  | { readonly state: 'unmined'; readonly txHash: string }
  /** Final. A reverted transaction is also confirmed: see `receipt.ok`. */
  | { readonly state: 'confirmed'; readonly receipt: Receipt }
  /** Cannot be sent: the simulation failed before a nonce was taken, or no node accepts the bytes. `reason` is for operators. */
  | { readonly state: 'refused'; readonly reason: string; readonly cause: 'reverts' | 'gas' | 'bytes' }
