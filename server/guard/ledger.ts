import type { Hex } from 'viem'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { decodeRouterCall, encodeRouterCall } from '../chains/evm/exchange/router-call.ts'
import { moveDigest } from '../chains/evm/move-digest.ts'
import type { GuardBudget, GuardLimit } from '../chains/guard-policy.ts'
import type { GuardRequest } from '../chains/guard.ts'

/**
 * A guard remembers for ever what it has signed (test/contracts/guard-ledger.ts tests every kind), so that a nonce stands for one move, a
 * merchant's request for one move, and the sums of an hour hold across restarts.
 */
export interface GuardLedger {
  /** Returns the move that this nonce stands for. */
  find(nonce: MoveNonce): Promise<Hex | undefined>
  /** Records an entry unless something speaks against it. The entry is durable when this resolves. The limit is that of its budget. */
  claim(entry: LedgerEntry, limit: GuardLimit): Promise<Claim>
}

export interface MoveNonce {
  readonly chainId: number
  readonly terms: string
  readonly nonce: bigint
}

export interface LedgerEntry extends MoveNonce {
  readonly move: Hex
  readonly organization: string
  readonly budget: GuardBudget
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

/** The sums are those of an hour and of one budget. */
export const isOver = ({ perHour, perHourInAll }: GuardLimit, { own, inAll }: { readonly own: bigint; readonly inAll: bigint }): boolean =>
  (perHour !== undefined && own > perHour) || (perHourInAll !== undefined && inAll > perHourInAll)

export const nonceOf = ({ chainId, terms, move }: GuardRequest): MoveNonce => ({ chainId, terms: termsHash(terms), nonce: move.nonce })

/** A move stays the same when only its deadline is later, also the router's, since both have one nonce and so only one of them can happen. */
export function moveName(request: GuardRequest): Hex {
  const { conversion, ...move } = request.move
  const call = conversion && decodeRouterCall(conversion.data)
  const data = call ? encodeRouterCall({ ...call, deadline: 0n }) : conversion?.data
  return moveDigest({ ...request, move: { ...move, ...(conversion && data && { conversion: { ...conversion, data } }), deadline: 0n } })
}
