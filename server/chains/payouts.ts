import type { Sql, Tx } from '../database/connect.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Position } from './feed.ts'
import type { MoveReason } from './guard.ts'
import type { SecondNodePorts } from './second-node.ts'

/**
 * Money leaves a chain through its queue of payouts (test/contracts/payouts.ts tests every kind). The caller says who is paid what from
 * which order's deposit address, and the chain alone knows how: how it is encoded, signed, paid for, replaced when stuck and proven.
 *
 * Any process may enqueue, and the process with the chain's lease works. A payout's transaction is stored before it is broadcast, and takes a
 * slot of the chain (EVM: an account's nonce; Bitcoin: the outputs that it spends) which another transaction of the same payout would have to
 * take too. So a retry never pays twice: after a crash the same bytes are broadcast again.
 */
export interface Payouts {
  /** Enqueues in the caller's transaction, so the payout exists if and only if its cause was recorded. An id is enqueued only once. */
  enqueue(sql: Tx | Sql, payout: Payout): Promise<void>
  /** Works on the queue while this process has the chain's lease, until the signal aborts. */
  run(ports: PayoutPorts, signal: AbortSignal): Promise<void>
  /**
   * Returns, by transaction, the orders whose payouts these transactions are or may be: what they send to the deposit addresses of these orders
   * is not a payment, and what they take from there has been planned.
   */
  ordersOf(sql: Sql, txHashes: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>
  /**
   * Puts final payouts that a reorganisation has removed back in flight, and reports them in the same transaction, so that coin that is back at
   * a deposit address is not new money. `last` is the last position that both forks share, while what the feed read above it is still stored.
   * Returns false when one could not be reopened, and the next call retries it.
   */
  reopen(ports: ReopenPorts, signal: AbortSignal, last?: Position): Promise<boolean>
  /** Notes that a payout's failure has undone what was reported as final. Returns false if it was never final. */
  markLost(tx: Tx, id: string): Promise<boolean>
  metrics(sql: Sql): Promise<PayoutMetrics>
  /** Rejects with ChainUnavailable when the node does not answer. */
  funds(sql: Sql, signal: AbortSignal): Promise<Funds>
}

/** A leg is one payment of a payout. */
export interface Leg {
  readonly to: string
  readonly amount: bigint
  /** Where a transaction pays its fee from the money that it moves, this leg pays it, and gets what is left. At most one leg does. */
  readonly paysNetwork?: true
}

/** The legs of a payout are paid together where the chain can, and each alone counts. */
export interface Payout {
  readonly id: string
  /** The money is at this order's deposit address. */
  readonly orderId: string
  /** Where a contract holds the deposit address to the order's terms, it needs them (see DepositAddresses). */
  readonly terms?: OrderTerms
  readonly token: string | null
  /**
   * A settlement pays the recipient and, as a second leg that is tried only after the first has succeeded, the fees. If it converts, the
   * recipient gets all that the conversion yields but the fees. A refund pays any legs, each independently.
   */
  readonly legs: readonly Leg[]
  /** The terms do not allow what has a reason here, so the guard that they name has to sign for it. */
  readonly reason?: MoveReason
  /**
   * Before the legs are paid, `amountIn` of `tokenIn` is converted. Nothing happens unless that yields at least `minOut` of `token`, and no less
   * than what the market promises when it is converted, less `slippageBps`.
   */
  readonly swap?: {
    readonly tokenIn: string | null
    readonly amountIn: bigint
    readonly minOut: bigint
    readonly slippageBps: number
  }
  /** Lower numbers go first, regardless of age. The default is 0. */
  readonly priority?: number
  /** Tenants take turns. Settlements of one tenant share a transaction where the chain can, and each still has an outcome of its own. */
  readonly tenant?: string
  /** It shares no transaction with others, as no refund does. */
  readonly alone?: boolean
  readonly purpose: Purpose
}

/** The purpose is opaque to the chain, which passes it back with every outcome. */
export interface Purpose {
  readonly kind: string
  readonly orderId: string
  readonly ref: string
}

export interface PayoutPorts extends SecondNodePorts {
  readonly sql: Sql
  readonly report: Report
  /** Errors that stop or delay the queue, such as an unreachable node, are passed to this callback, which logs them. */
  readonly onProblem: (error: unknown) => void
  /** A process without the lease tries to get it at this interval. */
  readonly leaseRetryMs?: number
}

export interface ReopenPorts extends Pick<PayoutPorts, 'sql' | 'report'> {
  readonly log: Readonly<Record<'warn' | 'error', (details: object, message: string) => void>>
}

/** Called inside the transaction that marks the outcome. If it throws, both roll back and it is called again. */
export type Report = (
  tx: Tx,
  payout: { readonly id: string; readonly chainId: ChainId; readonly purpose: Purpose },
  outcome: PayoutOutcome,
) => Promise<void>

export type PayoutOutcome =
  | { readonly state: 'broadcast'; readonly txHash: string }
  /** The guard has not signed for it for a minute. It is asked again until it does. */
  | { readonly state: 'waiting' }
  /** The guard has signed for it after all. */
  | { readonly state: 'approved' }
  /** The transaction is in a block that is not final. Where `ok` is false it has failed there, and will be reported as failed once it is. */
  | { readonly state: 'mined'; readonly txHash: string; readonly ok: boolean }
  /** A reorganisation removed the transaction, possibly after it was final. The chain broadcasts it again by itself. */
  | { readonly state: 'unmined'; readonly txHash: string }
  /** The transaction is final. `position` is where, on a chain that has heights. */
  | ({ readonly state: 'confirmed'; readonly txHash: string; readonly position?: number } & PaidLegs & Spent)
  /** Nothing was paid, and this payout never will be. Only a transaction that was mined and failed has cost something. */
  | { readonly state: 'failed'; readonly reason: string; readonly cause: FailureCause; readonly spent?: Spent }

export type FailureCause =
  /** The chain would refuse it, so it was not broadcast. */
  | 'reverts'
  /** It needs more than may be spent on it. */
  | 'gas'
  /** No node accepts the transaction. */
  | 'bytes'
  /** It was mined, and failed there. */
  | 'reverted'
  /** The guard will not sign for it. */
  | 'guard'

export interface PaidLegs {
  /** For each leg, in order, this is true if its money moved. */
  readonly paid: readonly boolean[]
  /** If the payout converted, this is the conversion's output. */
  readonly swapped?: bigint
  /** What would have been left at the deposit address was too little to stay there, so the leg that pays the network, or else the last one, had this much more. */
  readonly dust?: bigint
  /** The network took this much of that leg, and its receiver got the rest. */
  readonly networkFee?: bigint
}

export interface Spent {
  /** The transaction has cost this much of the chain's native coin. */
  readonly fee: bigint
  /** It has used this much of what the chain meters: gas, or virtual bytes, or compute units. Budgets count it. */
  readonly gasUsed: bigint
  /** Accounts that it opened for receivers cost this much of the native coin. Whoever closes one keeps that. */
  readonly opened?: bigint
}

/** Operators monitor a chain's queue by these figures. An age is in seconds, and undefined when no payout is in that state. */
export interface PayoutMetrics {
  /** This is the age of the oldest payout that was not signed yet. */
  readonly oldestUnsent: number | undefined
  /** This is the age of the oldest payout that is signed but in no block. */
  readonly oldestUnmined: number | undefined
  /** This is the age of the oldest payout that is not final. */
  readonly oldestUnsettled: number | undefined
  /** A reorganisation undid this many final payouts, which are in flight again. */
  readonly reopened: number
  /** A reorganisation undid this many final payouts, which then failed. */
  readonly lost: number
}

export interface Funds {
  /** This much of the native coin is there to pay fees, in the coin's smallest units. */
  readonly coin: bigint
  /** It pays for so many settlements at present, unless they cost nothing. */
  readonly settlements: number | undefined
}
