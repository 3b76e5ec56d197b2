import type { Sql } from '../database/connect.ts'
import type { ChainId } from '../../src/wire/chain.ts'

/**
 * How money is seen on a chain. Every family implements this contract, and one suite (test/contracts/feed.ts) tests each implementation.
 *
 * The family owns how it reads its chain and how far it has read (blocks, accounts, checkpoints; tables of its own). It reports to an observer,
 * which knows orders and no chain. A report may be repeated after a crash at any point, because transfers are recognised by key.
 */
export interface Feed {
  /**
   * Returns a function that takes one step: it reads what is new and reports it, or waits a moment if nothing is. Only the process that
   * holds the chain's lease calls it. It rejects with ChainUnavailable when the node does not answer, and the caller backs off.
   */
  follower(tools: FeedTools): Follower
  /** Reads the transfers of one transaction, and returns undefined while it is not part of the chain. */
  lookUp(txHash: string, signal: AbortSignal): Promise<readonly SeenTransfer[] | undefined>
  /** Asks the node whether this position is still part of the chain. */
  stands(at: Position, signal: AbortSignal): Promise<boolean>
  /** Returns how many confirmations make a transfer of this amount final, without reading the chain. */
  confirmationsFor(token: string | null, amount: bigint): number
  /** Returns the usual seconds from a transfer's inclusion to its finality, without reading the chain. */
  secondsToFinal(token: string | null, amount: bigint): number
  /** Says how far the chain is and how far it has been read, in the chain's own count, for those who operate the service. */
  status(sql: Sql, signal: AbortSignal): Promise<{ readonly newest: number; readonly read: number | undefined }>
}

export type Follower = (signal: AbortSignal) => Promise<void>

export interface FeedTools {
  readonly sql: Sql
  readonly log: { warn(details: object, message: string): void }
  readonly observer: Observer
}

/**
 * A place on a chain. `height` grows along the chain (block, slot, checkpoint), and `id` differs between two forks at the same height. Only
 * the chain's family knows more about them: everyone else stores a position, hands it back, and compares heights of the same chain.
 */
export interface Position {
  readonly height: number
  readonly id: string
}

export interface SeenTransfer {
  readonly chainId: ChainId
  /** The key is the same whenever and however this transfer is read, also after a reorganisation that includes it unchanged. */
  readonly key: string
  readonly txHash: string
  /** Native coin is `null`. */
  readonly token: string | null
  readonly to: string
  readonly amount: bigint
  /** The chain's clock in Unix milliseconds, which may differ from ours. Where it cannot be trusted this is the database's, or absent. */
  readonly seenAt?: number
  /** A transfer that the chain has not included yet has no position. */
  readonly at?: Position
  /** The transfer is final once it has as many confirmations as it needs. */
  readonly confirmations: number
  readonly needed: number
}

/** What a position is worth: gone with a reorganisation, or standing with so many confirmations. */
export type Verdict = 'gone' | { readonly confirmations: number }

/** Judges positions by what the feed has read, and answers by id. A position that the node does not know yet has no verdict. */
export type Judge = (positions: readonly Position[]) => Promise<ReadonlyMap<string, Verdict>>

/** Another transaction spends what this transfer's would have spent, so it will never be included. */
export interface ReplacedTransfer {
  readonly key: string
  readonly to: string
  /** The hash of that other transaction. */
  readonly by: string
}

/** What a feed reports to. It never rejects because of a single order, so no order can stop its chain. */
export interface Observer {
  /** Returns those of the addresses that are deposit addresses. */
  ours(addresses: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Records transfers, and in the same change drops those that they or other transactions replace. The feed moves on only after this has
   * resolved.
   */
  arrived(transfers: readonly SeenTransfer[], replaced?: readonly ReplacedTransfer[]): Promise<void>
  /**
   * Drops every transfer above this position. The feed goes back to it only after this has resolved. Where transactions that a
   * reorganisation has removed usually are included again, they only lose their positions (`stayPending`).
   */
  removedAfter(last: Position, signal: AbortSignal, options?: { readonly stayPending: boolean }): Promise<void>
  /** The feed has read everything up to `newest`: asks it to judge what waits for confirmations, and does what is due on this chain. */
  review(newest: Position, judge: Judge, signal: AbortSignal): Promise<void>
}

/**
 * A chain where native coin can arrive without a transfer that names it shows such coin only in balances (EVM: coin that a contract forwards).
 * Chains without this capability show every payment as a transfer.
 */
export interface NativeBalances {
  /** Reads balances at the newest final position, or returns undefined while the chain has none. */
  atLastFinal(addresses: readonly string[], signal: AbortSignal): Promise<FinalBalances | undefined>
  /** A balance proves nothing on a fork that the follower has not read. */
  isRead(sql: Sql, at: Position): Promise<boolean>
  /** Says whether the chain has grown enough since `height` for another sweep of balances to be worth its calls. */
  isSweepDue(height: number, newest: Position): boolean
}

export interface FinalBalances {
  readonly at: Position
  /** What is read here has all the confirmations that the chain needs. */
  readonly needed: number
  /** One for each address, in order. */
  readonly amounts: readonly bigint[]
}
