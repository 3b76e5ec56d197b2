import type { Sql } from '../../../database/connect.ts'
import { termsHash } from '../../../../src/wire/terms/terms-hash.ts'
import type { OrderTerms } from '../../../../src/wire/terms/order-terms.ts'
import type { ChainId } from '../../../../src/wire/chain.ts'
import type { Leg, Report } from '../../payouts.ts'
import { insertSend } from './queue.ts'

export const rescueKind = 'rescue'

export interface Rescue {
  readonly chainId: ChainId
  readonly terms: OrderTerms
  readonly token: string | null
  readonly leg: Leg
}

export interface StoredRescue {
  readonly id: string
  readonly chainId: number
  readonly token: string | null
  readonly isOpen: boolean
  /** What has become of it, in words. */
  readonly news: string
}

interface Row {
  readonly id: string
  readonly chain_id: number
  readonly token: string | null
  readonly state: string
  readonly mined_hash: string | null
  readonly problem: string | null
}

export async function rescuesOf(sql: Sql, orderId: string): Promise<readonly StoredRescue[]> {
  const rows = await sql<Row[]>`
    select id, chain_id::int, move->>'token_in' as token, state, mined_hash, coalesce(refusal, problem) as problem
    from sends where order_id = ${orderId} and kind = ${rescueKind} order by position`
  return rows.map(({ id, chain_id, token, state, mined_hash, problem }) => ({
    id,
    chainId: chain_id,
    token,
    isOpen: state !== 'confirmed' && state !== 'refused',
    news: `${state}${mined_hash ? ` in ${mined_hash}` : ''}${problem ? ` (${problem})` : ''}`,
  }))
}

/** A leg that the token or the recipient refuses fails alone, so its transaction is final and has moved nothing. */
export const reportRescue: Report = async (tx, { id }, outcome) => {
  if (outcome.state === 'confirmed' && !outcome.paid[0])
    await tx`update sends set refusal = 'nothing was moved: the token or the recipient refused it' where id = ${id}`
}

/** The service that runs asks the guard and broadcasts it, in the same queue as every other send. An id is enqueued only once. */
export const enqueueRescue = (sql: Sql, id: string, { chainId, terms, token, leg }: Rescue): Promise<void> =>
  insertSend(sql, {
    id,
    chainId,
    to: terms.factory.toLowerCase(),
    data: '0x',
    value: 0n,
    termsHash: `0x${termsHash(terms)}`,
    move: { terms, tokenIn: token, tokenOut: token, legs: [leg], reason: { kind: 'rescue' } },
    purpose: { kind: rescueKind, orderId: terms.order_id, ref: id },
  })
