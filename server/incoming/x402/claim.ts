import type { SignedPayment, X402Limits } from '../../chains/x402.ts'
import { sendPriority } from '../../orders/model/created-by.ts'
import { decide } from '../../orders/model/decide.ts'
import { transaction } from '../../database/transaction.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import { lockOrder } from '../../orders/order-queries.ts'
import { type Authorization, changeAuthorization, insertAuthorization, isSame, liveAuthorization, sendIdOf } from './authorizations.ts'
import type { Offer } from './offers.ts'

export type Claim =
  /** The payload's authorisation was stored, now or by an earlier request. After `maxAttempts` failures it is not tried again. */
  | { readonly at: 'claimed'; readonly authorization: Authorization }
  /** This other authorisation of the order has moved money or still may. It is undefined when another order uses the nonce. */
  | { readonly at: 'other'; readonly authorization: Authorization | undefined }
  | { readonly at: 'closed'; readonly message: string }

/** A transaction may revert for a passing reason, so a repeated request tries it again. Each attempt may cost the operator gas. */
const maxAttempts = 3

/** One transaction reserves the quote, stores the authorisation and enqueues the send. It locks the order, so a concurrent claim waits. */
export async function claim(
  engine: Engine,
  orderId: string,
  payment: Pick<SignedPayment, 'transfer' | 'enqueue'>,
  { quote }: Offer,
  limits: X402Limits,
): Promise<Claim> {
  return transaction(engine.sql, async (tx): Promise<Claim> => {
    const { transfer } = payment
    const order = await lockOrder(tx, orderId)
    if (!order) throw new Error(`order ${orderId} is gone`)
    const live = await liveAuthorization(tx, orderId)
    if (live && !isSame(live, transfer)) return { at: 'other', authorization: live }
    if (live && (live.state !== 'refused' || live.attempt >= maxAttempts)) return { at: 'claimed', authorization: live }
    // The order decides before anything is written, so that a refusal leaves nothing to undo.
    const command = { type: 'authorized', quoteId: quote.id } as const
    const decision = decide(order, command, engine.policy, engine.clock())
    if (!decision.ok) return { at: 'closed', message: decision.refusal.message }
    const authorization = live
      ? await changeAuthorization(tx, live, ['refused'], { state: 'pending', attempt: live.attempt + 1 })
      : await insertAuthorization(tx, { ...transfer, orderId, chainId: quote.source.chainId }, { state: 'pending', txHash: undefined })
    if (!authorization) return { at: 'other', authorization: undefined }
    const recorded = await record(engine, order, command, tx)
    if (!recorded?.ok) throw new Error(`order ${orderId} refused a signature that it had just accepted`)
    const id = sendIdOf(authorization)
    const request = { id, tenant: order.organizationId, priority: sendPriority(order.terms), purpose: { kind: 'x402', orderId, ref: id } }
    await payment.enqueue(tx, request, limits)
    return { at: 'claimed', authorization }
  })
}
