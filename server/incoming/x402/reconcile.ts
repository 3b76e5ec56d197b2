import type { ChainId } from '../../../src/wire/chain.ts'
import type { SignedTransfer } from '../../chains/x402.ts'
import { transaction } from '../../database/transaction.ts'
import type { Engine } from '../../orders/engine.ts'
import type { Order } from '../../orders/model/order.ts'
import { lockOrder, orderById } from '../../orders/order-queries.ts'
import { record } from '../../orders/record.ts'
import { type Authorization, changeAuthorization, insertAuthorization, isSame, liveAuthorization } from './authorizations.ts'
import type { Outcomes } from './outcomes.ts'
import { recordFromReceipt } from './record-from-receipt.ts'
import { schemeOf } from './scheme-of.ts'

/** A verification or lookup on a chain times out after this, since a payer's request may be waiting for it. */
export const askMs = 10_000

export interface Reconciler {
  /** Records an authorisation's transaction on its order, so that the response shows it. If that fails, the watcher records it later. */
  recordIfMined(order: Order, authorization: Authorization): Promise<void>
  /** Records that somebody else broadcast the signature, which pays the order just as our own broadcast would. */
  adoptExternalBroadcast(order: Order, transfer: SignedTransfer, chainId: ChainId, txHash: string): Promise<Authorization>
  /** Looks an authorisation up on its chain and records its state. Returns true if it has provably failed, so another may be claimed. */
  reconcile(authorization: Authorization): Promise<boolean>
}

export function reconciler(engine: Engine, outcomes: Outcomes, acceptEarly: boolean): Reconciler {
  const { sql } = engine

  const recordIfMined = async (order: Order, { chainId, txHash }: Authorization): Promise<void> => {
    if (txHash === undefined) return
    try {
      await recordFromReceipt(engine, chainId, order, txHash, acceptEarly, AbortSignal.timeout(askMs))
    } catch (error) {
      engine.log.warn(
        { err: error, order: order.id, txHash },
        "cannot read a wallet payment's receipt; the watcher records the payment at the next block",
      )
    }
  }

  return {
    recordIfMined,

    adoptExternalBroadcast: async (order, transfer, chainId, txHash) => {
      const signed = { ...transfer, orderId: order.id, chainId }
      const written = await transaction(sql, async (tx) => {
        if (!(await lockOrder(tx, order.id))) throw new Error(`order ${order.id} is gone`)
        const live = await liveAuthorization(tx, order.id)
        if (!live) return insertAuthorization(tx, signed, { state: 'settled', txHash })
        return isSame(live, transfer)
          ? changeAuthorization(tx, live, ['pending', 'refused', 'settled'], { state: 'settled', txHash })
          : undefined
      })
      // The row was not written if another authorisation has the order or the nonce. The watcher finds the money all the same.
      const adopted: Authorization = written ?? { ...signed, id: '', attempt: 1, state: 'settled', txHash, reason: undefined }
      await recordIfMined(order, adopted)
      return adopted
    },

    reconcile: async (authorization) => {
      const order = await orderById(sql, authorization.orderId)
      if (!order) return false
      const { scheme } = schemeOf(engine, authorization.chainId)
      const status = await scheme.status(sql, authorization, order.createdAt, AbortSignal.timeout(askMs))
      switch (status.at) {
        case 'open':
          return false
        case 'paid': {
          const settled = await transaction(sql, (tx) =>
            changeAuthorization(tx, authorization, ['pending', 'refused'], { state: 'settled', txHash: status.txHash }),
          )
          outcomes.changed(authorization.id)
          if (settled) await recordIfMined(order, settled)
          return false
        }
        case 'dead':
          await transaction(sql, async (tx) => {
            const locked = await lockOrder(tx, order.id)
            const change = { state: 'failed', reason: authorization.reason } as const
            if (locked && (await changeAuthorization(tx, authorization, ['pending', 'refused'], change)))
              await record(engine, locked, { type: 'unauthorized' }, tx)
          })
          outcomes.changed(authorization.id)
          return true
        default:
          return status satisfies never
      }
    },
  }
}
