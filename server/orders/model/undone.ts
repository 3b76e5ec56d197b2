import { sameAsset } from './asset.ts'
import { changeSettlement, changeTransfers, withoutReason } from './change.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'
import { paidOut } from './paid-out.ts'
import { isCompletedBy, paysRecipient } from './settling.ts'

/** A reorganisation undoes settlements and refunds: ours are in flight again, and those that others have sent are lost. */

/** The settlement is in flight again. If it had completed the order, its transfers are `confirmed` until its new outcome is known. */
export function reopenSettlement(order: Order, id: string): Order {
  const settlement = order.settlements.find((known) => known.id === id)
  if (settlement?.state !== 'confirmed') return changeSettlement(order, id, { state: 'broadcast' })
  const { block: _block, paid: _paid, swapped: _swapped, dust: _dust, networkFee: _networkFee, ...rest } = settlement
  const hadCompleted = order.status === 'COMPLETED' && paysRecipient(settlement)
  // Until it is final again, a conversion is known to yield its least output only.
  const legs = paidOut(rest.legs, rest.swap?.minOut)
  const reopened: Settlement = { ...rest, legs, state: 'broadcast', ...(hadCompleted && { reopened: true }) }
  return {
    ...order,
    settlements: order.settlements.map((known) => (known.id === id ? reopened : known)),
    transfers: hadCompleted
      ? order.transfers.map((transfer) =>
          transfer.state === 'applied' && rest.transfers.includes(transfer.key) ? { ...transfer, state: 'confirmed' } : transfer,
        )
      : order.transfers,
  }
}

export const reopenRefund = (order: Order, id: string): Order => ({
  ...order,
  refunds: order.refunds.map((refund): Refund => {
    if (refund.id !== id) return refund
    const { block: _block, gasTaken: _gasTaken, ...rest } = refund
    return { ...rest, state: 'pending', reopened: true }
  }),
})

/**
 * What the lost settlement had moved is at the deposit address again, so transfers that were applied for it alone are `confirmed` again. If it was
 * planned here, our own transaction may still be in flight.
 */
export function withoutFoundSettlement(order: Order, id: string): Order {
  const lost = order.settlements.find((settlement) => settlement.id === id)
  if (!lost) return order
  const others = order.settlements.filter((settlement) => settlement !== lost)
  const spent = new Set(others.filter(paysRecipient).flatMap(({ transfers }) => transfers))
  const source = lost.swap?.source ?? lost.token
  const isSpent = ({ key, state }: Transfer) => state === 'applied' && !spent.has(key)
  // What came after a settlement that is gone did not come after one.
  const isUndone = isCompletedBy(order, lost)
  const isNoSurplus = ({ key, state, reason }: Transfer) =>
    isUndone &&
    state === 'held' &&
    reason === 'after_settlement' &&
    !order.refunds.some((refund) => refund.state !== 'failed' && refund.transfers.includes(key))
  const keys = order.transfers
    .filter((transfer) => sameAsset(transfer.asset, source) && (isSpent(transfer) || isNoSurplus(transfer)))
    .map(({ key }) => key)
  const after = changeTransfers(order, keys, (transfer) => ({ ...withoutReason(transfer), state: 'confirmed' }))
  const { paid: _paid, block: _block, swapped: _swapped, moveId: _moveId, ...rest } = lost
  const { txHash: _txHash, ...unsent } = rest
  const isInFlight = !lost.isForeign && !lost.sendFailed
  const left: Settlement = isInFlight
    ? {
        ...unsent,
        legs: paidOut(rest.legs, rest.swap?.minOut),
        state: 'planned',
        ...(order.status === 'COMPLETED' && { reopened: true }),
      }
    : { ...rest, state: 'failed' }
  return { ...after, settlements: after.settlements.map((settlement) => (settlement.id === id ? left : settlement)) }
}

export const withoutFoundRefund = (order: Order, id: string): Order => ({
  ...order,
  refunds: order.refunds.map((refund): Refund => {
    if (refund.id !== id) return refund
    const { block: _block, gasTaken: _gasTaken, moveId: _moveId, txHash: _txHash, ...rest } = refund
    return refund.sendFailed ? { ...rest, state: 'failed' } : { ...rest, state: 'pending', reopened: true }
  }),
})
