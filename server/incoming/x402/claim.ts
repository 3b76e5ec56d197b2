import type { PaymentPayload } from '../../../src/wire/x402.ts'
import type { Call } from '../../chains/chain.ts'
import { sendPriority } from '../../orders/model/created-by.ts'
import { transaction } from '../../database/transaction.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import { lockOrder } from '../../orders/order-queries.ts'
import {
  type Authorization,
  authorizationOf,
  changeAuthorization,
  insertAuthorization,
  isSame,
  liveAuthorization,
  sendIdOf,
} from './authorizations.ts'
import type { Offer } from './offers.ts'

export type Claim =
  /** Ours to see through: written down, and its transaction with it. Refused, if it was tried as often as one may be. */
  | { readonly at: 'taken'; readonly authorization: Authorization }
  /** Another one of this order moved money or may yet. */
  | { readonly at: 'other'; readonly authorization: Authorization | undefined }
  | { readonly at: 'closed'; readonly message: string }

/** One transaction that the chain undid may be bad luck. Each costs the operator's gas and the payer nothing. */
const mostAttempts = 3

/** The nonce is another order's: the token will take one of the two, and not this one's if it comes second. */
class NonceTaken extends Error {}

/**
 * Takes an authorisation on: the order's source, the row and the transaction that is to be sent become true together, before anything is
 * broadcast; or none of it does. Whoever comes second finds the first one's row; the order's own row is the lock.
 */
export async function claim(
  engine: Engine,
  orderId: string,
  payload: PaymentPayload,
  { quote }: Offer,
  call: Call & { readonly gasCap: bigint },
): Promise<Claim> {
  const claiming = transaction(engine.sql, async (tx): Promise<Claim> => {
    const order = await lockOrder(tx, orderId)
    if (!order) throw new Error(`order ${orderId} is gone`)
    const live = await liveAuthorization(tx, orderId)
    if (live && !isSame(live, payload)) return { at: 'other', authorization: live }
    if (live && (live.state !== 'refused' || live.attempt >= mostAttempts)) return { at: 'taken', authorization: live }
    const recorded = await record(engine, order, { type: 'authorized', quoteId: quote.id }, tx)
    if (!recorded) throw new Error(`order ${orderId} is gone`)
    if (!recorded.ok) return { at: 'closed', message: recorded.refusal.message }
    const authorization = live
      ? await changeAuthorization(tx, live, ['refused'], { state: 'pending', attempt: live.attempt + 1 })
      : await insertAuthorization(tx, authorizationOf(orderId, quote.source.chainId, payload), { state: 'pending', txHash: undefined })
    if (!authorization) throw new NonceTaken()
    await engine.sender.enqueue(tx, {
      id: sendIdOf(authorization),
      chainId: authorization.chainId,
      ...call,
      priority: sendPriority(order.terms),
      purpose: { kind: 'x402', orderId, ref: sendIdOf(authorization) },
    })
    return { at: 'taken', authorization }
  })
  return claiming.catch((error: unknown): Claim => {
    if (error instanceof NonceTaken) return { at: 'other', authorization: undefined }
    throw error
  })
}
