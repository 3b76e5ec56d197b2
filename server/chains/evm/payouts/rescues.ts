import type { Sql } from '../../../database/connect.ts'
import { termsHash } from '../../../../src/wire/terms/terms-hash.ts'
import type { OrderTerms } from '../../../../src/wire/terms/order-terms.ts'
import type { ChainId } from '../../../../src/wire/chain.ts'
import type { Leg } from '../../payouts.ts'
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
  readonly state: string
  readonly txHash: string | undefined
  readonly problem: string | undefined
}

export async function rescuesOf(sql: Sql, orderId: string): Promise<readonly StoredRescue[]> {
  const rows = await sql<{ id: string; chain_id: number; state: string; mined_hash: string | null; problem: string | null }[]>`
    select id, chain_id::int, state, mined_hash, problem from sends where order_id = ${orderId} and kind = ${rescueKind} order by position`
  return rows.map(({ id, chain_id, state, mined_hash, problem }) => ({
    id,
    chainId: chain_id,
    state,
    txHash: mined_hash ?? undefined,
    problem: problem ?? undefined,
  }))
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
