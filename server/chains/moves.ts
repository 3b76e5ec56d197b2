import type { Sql } from '../database/connect.ts'
import type { Follower, Position } from './feed.ts'
import type { Leg } from './payouts.ts'

/**
 * Where a contract holds the deposit addresses, others can move their money too, though only to where the terms say: anybody after the
 * release time, and whoever has an operator's key. The family reads that from final blocks and reports it.
 */
export interface Moves {
  /** Returns a function that takes one step, like a feed's follower. Only the process that holds the chain's lease calls it. */
  follower(tools: MovesTools): Follower
  /** Reports every move above this position as lost, before anything there is read again. */
  undoAfter(tools: MovesTools, last: Position): Promise<void>
}

export interface MovesTools {
  readonly sql: Sql
  readonly log: Readonly<Record<'warn' | 'error', (details: object, message: string) => void>>
  readonly observer: MovesObserver
}

/** What a chain reports moves to. A report may be repeated. It never rejects because of a single order. */
export interface MovesObserver {
  /** Records moves, and returns the ids of those that were somebody else's. */
  found(moves: readonly SeenMove[]): Promise<ReadonlySet<string>>
  /** A reorganisation has removed this move from the order with this deposit address. */
  lost(move: Pick<SeenMove, 'id' | 'from'>): Promise<void>
}

export interface SeenMove {
  /** The id is the same whenever this move is read. */
  readonly id: string
  readonly txHash: string
  /** The deposit address. */
  readonly from: string
  /** Native coin is `null`. */
  readonly token: string | null
  readonly legs: readonly (Leg & { readonly role: 'recipient' | 'fees' | 'refund' })[]
  readonly height: number
}
