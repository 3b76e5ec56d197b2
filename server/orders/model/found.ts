import { type Asset, sameAsset } from './asset.ts'
import type { FoundMove } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit } from './funding.ts'
import type { Order } from './order.ts'
import { paysRecipient, recipientIsPaid, runningSettlement } from './settling.ts'
import type { Reaction } from './status.ts'

/**
 * The terms let others move money too: anybody after the release time, and whoever has an operator's key. It can only have reached the
 * recipients, so it counts. The status is announced again, so that the merchant learns of it.
 */
export function found(order: Order, { id, asset, legs, txHash, block }: FoundMove): readonly Fact[] {
  const known = order.settlements.find((settlement) => settlement.id === id)
  if (known && known.state !== 'failed') return []
  return [
    { type: 'settlement_found', id, token: asset, legs, txHash, block },
    ...endedWaits(order, asset, legs),
    { type: 'became', status: order.status },
  ]
}

/** What others have moved cannot be refunded or converted any more, so nobody has to wait for the guard, which may never sign. */
function endedWaits(order: Order, asset: Asset, legs: FoundMove['legs']): readonly Fact[] {
  const left = atDeposit(order, asset) - legs.reduce((total, { amount }) => total + amount, 0n)
  const takes = (id: string) =>
    order.refunds.some((refund) => refund.id === id && sameAsset(refund.asset, asset)) ||
    order.settlements.some((settlement) => settlement.id === id && settlement.swap && sameAsset(settlement.swap.source, asset))
  return left < 0n ? (order.waitsForGuard ?? []).filter(takes).map((id) => ({ type: 'guard_wait_ended', id })) : []
}

/** Without it, the order may be unpaid again. Its next settlement then pays what is due. */
export function lost(order: Order, id: string): readonly Fact[] {
  const settlement = order.settlements.find((known) => known.id === id && known.isForeign && known.state === 'confirmed')
  if (!settlement) return []
  const isUndone =
    order.status === 'COMPLETED' &&
    !order.settlements.some(paysRecipient) &&
    !recipientIsPaid({ ...order, settlements: order.settlements.filter((known) => known !== settlement) })
  return [{ type: 'settlement_lost', id }, ...(isUndone ? ([{ type: 'became', status: 'EXECUTING_ORDER' }] as const) : [])]
}

/** Transfers are applied once somebody else has moved their money, since it went where the terms say. */
export const applyMoved: Reaction = (order) => {
  if (runningSettlement(order)) return []
  const isMoving = (asset: Asset) => order.refunds.some((refund) => refund.state === 'pending' && sameAsset(refund.asset, asset))
  const emptied = order.settlements
    .filter(({ isForeign, state, token }) => isForeign && state === 'confirmed' && !isMoving(token) && atDeposit(order, token) <= 0n)
    .map(({ token }) => token)
  const keys = order.transfers
    .filter(({ state, asset }) => (state === 'confirmed' || state === 'held') && emptied.some((token) => sameAsset(token, asset)))
    .map(({ key }) => key)
  return keys.length > 0 ? [{ type: 'transfers_applied', keys }] : []
}
