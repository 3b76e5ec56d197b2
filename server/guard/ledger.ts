import type { Hex } from 'viem'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { moveDigest } from '../chains/evm/move-digest.ts'
import type { GuardRequest } from '../chains/guard.ts'
import type { GuardLimits } from './rules.ts'

/**
 * A guard remembers for ever what it has signed (test/contracts/guard-ledger.ts tests every kind), so that a nonce stands for one move, a
 * merchant's request for one move, and the sums of an hour hold across restarts.
 */
export interface GuardLedger {
  /** Returns the move that this nonce stands for. */
  find(nonce: MoveNonce): Promise<Hex | undefined>
  /** Records an entry unless something speaks against it. The entry is durable when this resolves. */
  claim(entry: LedgerEntry, limits: Pick<GuardLimits, 'perHour' | 'perHourInAll'>): Promise<Claim>
}

export interface MoveNonce {
  readonly chainId: number
  readonly terms: string
  readonly nonce: bigint
}

export interface LedgerEntry extends MoveNonce {
  readonly move: Hex
  readonly organization: string
  /** What may be lost by the move, in millionths of a dollar. */
  readonly atRisk: bigint
  readonly evidence?: string
  /** Unix milliseconds. */
  readonly at: number
}

export type Claim =
  | 'recorded'
  /** The same move has been recorded before. */
  | 'known'
  | 'another_move'
  | 'evidence_used'
  | 'over_the_limit'

export const hourMs = 3_600_000

export const nonceOf = ({ chainId, terms, move }: GuardRequest): MoveNonce => ({ chainId, terms: termsHash(terms), nonce: move.nonce })

/** A move stays the same when only its deadline is later, since both have one nonce and so only one of them can happen. */
export const moveName = (request: GuardRequest): Hex => moveDigest({ ...request, move: { ...request.move, deadline: 0n } })
