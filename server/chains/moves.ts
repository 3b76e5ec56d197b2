import type { Sql, Tx } from '../database/connect.ts'
import type { Follower, Position } from './feed.ts'
import type { Leg } from './payouts.ts'
import type { SecondNodePorts } from './second-node.ts'

/**
 * Where a contract holds the deposit addresses, others can move their money too, though only to where the terms say or a guard has signed for:
 * anybody after the release time, and whoever has an operator's key. The family reads that from final blocks and reports it,
 * on a chain with several nodes once two of them agree.
 */
export interface Moves {
  /** Returns a function that takes one step, like a feed's follower. Only the process that holds the chain's lease calls it. */
  follower(tools: MovesTools): Follower
  /** Reports every move above this position as lost, before anything there is read again. One that cannot be reported is retried. */
  undoAfter(tools: MovesTools, last: Position): Promise<void>
}

export interface MovesTools extends SecondNodePorts {
  readonly sql: Sql
  readonly log: Readonly<Record<'warn' | 'error', (details: object, message: string) => void>>
  readonly observer: MovesObserver
}

/** What a chain reports moves to. What was reported is not reported again, and if a report throws, it is retried with back-off. */
export interface MovesObserver {
  /** Returns which of these addresses are deposit addresses of orders. */
  ours(addresses: readonly string[]): Promise<ReadonlySet<string>>
  /** Records a move that this service has not planned, in the transaction that notes that it is recorded. */
  found(tx: Tx, move: SeenMove): Promise<void>
  /** A reorganisation has removed this move from the order with this deposit address. */
  lost(tx: Tx, move: Pick<SeenMove, 'id' | 'from'>): Promise<void>
}

/** A payment is one call's: the recipient's leg, and the fee that was paid with it. All refunds of a token in a transaction are one move. */
export type SeenMove = SeenPayment | SeenRefund

interface Seen {
  /** The id is the same whenever this move is read in the same block. */
  readonly id: string
  readonly txHash: string
  /** The deposit address. */
  readonly from: string
  /** The legs are in this token. Native coin is `null`. */
  readonly token: string | null
  readonly height: number
}

export interface SeenPayment extends Seen {
  readonly kind: 'payment'
  readonly legs: readonly (Leg & { readonly role: 'recipient' | 'fees' })[]
  /** Before that, `amountIn` of `tokenIn` was converted to `amountOut` of `token`. */
  readonly conversion?: { readonly tokenIn: string | null; readonly amountIn: bigint; readonly amountOut: bigint }
}

export interface SeenRefund extends Seen {
  readonly kind: 'refund'
  readonly legs: readonly Leg[]
}
