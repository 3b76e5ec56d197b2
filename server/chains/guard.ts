import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Leg } from './payouts.ts'

/**
 * The terms of an order say where its money may go. A refund or a conversion is not in them, so the guard that they name has to sign for
 * exactly that move, and the chain's contract verifies it. The guard decides by itself what it signs: it does not trust whoever asks.
 */
export interface Guard {
  readonly address: string
  /**
   * It answers within seconds and without a person, so that conversions can be quoted. Where this is false, people sign what covers the deadline
   * too, so the very same move is asked for until they have, with a deadline of days.
   */
  readonly isMachine: boolean
  /** Rejects with GuardRefused if it will never sign this move, and with another error if it may sign later. */
  sign(request: GuardRequest, signal: AbortSignal): Promise<`0x${string}`>
}

export interface GuardRequest {
  readonly chainId: ChainId
  readonly terms: OrderTerms
  readonly move: Move
  readonly reason: MoveReason
}

/** This is what a guard signs for. Null is the native coin. */
export interface Move {
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  /** A refund pays these legs. A conversion pays the fee as its only leg, and the recipient of the terms gets the rest of what it yields. */
  readonly legs: readonly Leg[]
  readonly conversion?: {
    readonly amountIn: bigint
    readonly leastOut: bigint
    readonly router: string
    readonly data: `0x${string}`
  }
  /** A nonce works once per order, so two signatures with the same one never move money twice. */
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: bigint
}

/** A rescue sends what nobody configured, and so nobody counted, from the deposit address to a recipient of the terms. */
export const moveReasons = ['conversion', 'surplus', 'merchant', 'unconverted', 'rescue'] as const

/** Why the service asks. The evidence is what the guard can verify by itself, such as the merchant's signed request. */
export interface MoveReason {
  readonly kind: (typeof moveReasons)[number]
  readonly evidence?: unknown
}

export class GuardRefused extends Error {
  override readonly name = 'GuardRefused'
}
