import type { Sql, TransactionSql } from 'postgres'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Call, Receipt } from './chain.ts'

/**
 * The one road onto a chain. One operator account per chain has one numbered queue in Postgres; every process may enqueue,
 * whoever holds the chain's lease signs, writes the bytes down, and only then broadcasts. A replacement keeps the nonce,
 * every hash of a slot is remembered, and any of them confirming counts. A crash re-broadcasts the same bytes.
 */
export interface Sender {
  /** Written in the caller's transaction: the intent exists if and only if the fact that asked for it exists. Same id twice: once. */
  enqueue(sql: TransactionSql | Sql, request: SendRequest): Promise<void>
  /** Runs the chain's queue until the signal aborts: sign, write, broadcast, watch, replace, report. */
  run(chainId: ChainId, report: Report, signal: AbortSignal): Promise<void>
}

export interface SendRequest extends Call {
  readonly id: string
  readonly chainId: ChainId
  /** The most gas that may be signed for it. What takes more is refused before it has a nonce. Absent: what the chain allows. */
  readonly gasCap?: bigint
  /** Lower numbers go first, whenever they were asked for; 0 when it isn't said. */
  readonly priority?: number
  /** Opaque to the sender, given back with every outcome. */
  readonly purpose: SendPurpose
}

export interface SendPurpose {
  readonly kind: string
  readonly orderId: string
  readonly ref: string
}

/** Called inside the transaction that marks the outcome reported, at least once per outcome; throwing leaves it unreported. */
export type Report = (
  sql: TransactionSql,
  send: { readonly id: string; readonly chainId: ChainId; readonly purpose: SendPurpose },
  outcome: SendOutcome,
) => Promise<void>

export type SendOutcome =
  | { readonly state: 'broadcast'; readonly txHash: string }
  /** In a block, not yet final. */
  | { readonly state: 'mined'; readonly receipt: Receipt }
  /** The block it was in is gone, also after it was confirmed (a deep reorganisation); the sender broadcasts again by itself. */
  | { readonly state: 'unmined'; readonly txHash: string }
  /** The chain's confirmations have passed (a reverted transaction also: `receipt.ok` says). */
  | { readonly state: 'confirmed'; readonly receipt: Receipt }
  /** Cannot be sent: simulation says no before a nonce is taken, or no node accepts the bytes. `reason` is for operators. */
  | { readonly state: 'refused'; readonly reason: string; readonly cause: 'reverts' | 'gas' | 'bytes' }
