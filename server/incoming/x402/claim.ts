import type { PaymentPayload } from '../../../src/wire/x402.ts'
import type { Call } from '../../chains/chain.ts'
import { sendPriority } from '../../orders/model/created-by.ts'
import { decide } from '../../orders/model/decide.ts'
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
  /** The order is this authorisation's, now or since an earlier request. One that was tried as often as it may be stays refused. */
  | { readonly at: 'claimed'; readonly authorization: Authorization }
  /** Another authorisation of this order moved money or may still; undefined when the nonce is in use by another order. */
  | { readonly at: 'other'; readonly authorization: Authorization | undefined }
  /** The order takes no money this way any more. */
  | { readonly at: 'closed'; readonly message: string }

/** A transaction may revert by bad luck, so there are retries. Each costs the operator gas, and the payer nothing. */
const mostAttempts = 3

/**
 * Claims an order for an authorisation: the order's source, the row and the place in the sending queue are written in one transaction,
 * before anything is broadcast. The order's row is the lock, so a second claim finds the row of the first.
 */
export async function claim(
  engine: Engine,
  orderId: string,
  payload: PaymentPayload,
  { quote }: Offer,
  call: Call & { readonly gasCap: bigint },
): Promise<Claim> {
  return transaction(engine.sql, async (tx): Promise<Claim> => {
    const order = await lockOrder(tx, orderId)
    if (!order) throw new Error(`order ${orderId} is gone`)
    const live = await liveAuthorization(tx, orderId)
    if (live && !isSame(live, payload)) return { at: 'other', authorization: live }
    if (live && (live.state !== 'refused' || live.attempt >= mostAttempts)) return { at: 'claimed', authorization: live }
    // Asked before anything is written, so that a refusal leaves nothing to take back.
    const command = { type: 'authorized', quoteId: quote.id } as const
    const decision = decide(order, command, engine.policy, engine.clock())
    if (!decision.ok) return { at: 'closed', message: decision.refusal.message }
    const authorization = live
      ? await changeAuthorization(tx, live, ['refused'], { state: 'pending', attempt: live.attempt + 1 })
      : await insertAuthorization(tx, authorizationOf(orderId, quote.source.chainId, payload), { state: 'pending', txHash: undefined })
    if (!authorization) return { at: 'other', authorization: undefined }
    const recorded = await record(engine, order, command, tx)
    if (!recorded?.ok) throw new Error(`order ${orderId} refused a signature that it had just accepted`)
    await engine.sender.enqueue(tx, {
      id: sendIdOf(authorization),
      chainId: authorization.chainId,
      ...call,
      priority: sendPriority(order.terms),
      purpose: { kind: 'x402', orderId, ref: sendIdOf(authorization) },
    })
    return { at: 'claimed', authorization }
  })
}
