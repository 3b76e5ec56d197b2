import { type Asset, distinctAssets, sameAsset } from './asset.ts'
import type { FoundMove } from './commands.ts'
import type { Fact } from './facts.ts'
import { refundsLost } from './found-refunds.ts'
import { atDeposit, wouldBegin } from './funding.ts'
import type { Order, Settlement } from './order.ts'
import { settlementConfirmed } from './outcomes.ts'
import { isCompletedBy, runningSettlement } from './settling.ts'
import type { Reaction } from './status.ts'

/**
 * The terms let others move money too: anybody after the release time, and whoever has an operator's key. It can only have reached the
 * recipients, so it counts. Whoever has an operator's key can also send what the guard has signed for us, which then has happened.
 */
export function found(order: Order, move: FoundMove, now: number): readonly Fact[] {
  const { id, asset, legs, swap, txHash, block } = move
  const isKnown = (settlement: Settlement) => (settlement.id === id || settlement.moveId === id) && settlement.state !== 'failed'
  if (order.settlements.some(isKnown)) return []
  const ours = ownConversion(order, move)
  const isAnnounced = isNews(order, move, now)
  return [
    ...(swap ? withoutProceeds(order, move) : []),
    ...(ours
      ? conversionConfirmed(order, ours, move)
      : [
          { type: 'settlement_found', id, token: asset, legs, swap, txHash, block, isAnnounced } as const,
          ...endedWaits(order, move),
          ...(isAnnounced ? ([{ type: 'became', status: order.status }] as const) : []),
        ]),
  ]
}

/** What others have moved cannot be refunded or converted any more, so nobody has to wait for the guard, which may never sign. */
function endedWaits(order: Order, { asset, legs, swap }: FoundMove): readonly Fact[] {
  const moved = swap?.source ?? asset
  const left = atDeposit(order, moved) - (swap?.amountIn ?? legs.reduce((total, { amount }) => total + amount, 0n))
  const takes = (id: string) =>
    order.refunds.some((refund) => refund.id === id && sameAsset(refund.asset, moved)) ||
    order.settlements.some((settlement) => settlement.id === id && settlement.swap && sameAsset(settlement.swap.source, moved))
  return left < 0n ? (order.waitsForGuard ?? []).filter(takes).map((id) => ({ type: 'guard_wait_ended', id })) : []
}

/** Our own conversion that moves the same money. One that has failed, and whose signature was used nevertheless, is the likelier. */
function ownConversion({ settlements }: Order, { asset, legs, swap }: FoundMove): Settlement | undefined {
  if (!swap) return undefined
  const feeOf = (paid: Settlement['legs']) => paid.find(({ role }) => role === 'fees')?.amount ?? 0n
  const isSame = (settlement: Settlement) =>
    settlement.swap !== undefined &&
    !settlement.isForeign &&
    sameAsset(settlement.swap.source, swap.source) &&
    settlement.swap.amountIn === swap.amountIn &&
    sameAsset(settlement.token, asset) &&
    (feeOf(legs) === 0n || feeOf(legs) === feeOf(settlement.legs))
  const same = settlements.filter(isSame)
  return same.find(({ state }) => state === 'failed') ?? same.find(({ state }) => state !== 'confirmed')
}

const conversionConfirmed = (order: Order, ours: Settlement, { id, legs, swap, txHash, block }: FoundMove): readonly Fact[] =>
  settlementConfirmed(order, ours, {
    txHash,
    block,
    paid: ours.legs.map(({ role }) => legs.some((leg) => leg.role === role)),
    swapped: swap?.swapped,
    moveId: id,
  })

/** The feed has taken what the conversion sent back to the deposit address for a payment. */
function withoutProceeds(order: Order, { asset, txHash }: FoundMove): readonly Fact[] {
  const keys = order.transfers
    .filter((transfer) => transfer.txHash === txHash && sameAsset(transfer.asset, asset) && transfer.state !== 'dropped')
    .map(({ key }) => key)
  return keys.length > 0 ? [{ type: 'transfers_dropped', keys }] : []
}

/**
 * The status is announced again, so that the merchant learns of it. After the release time anybody can send dust to every order of a merchant and
 * release it, so small sums are not announced. Before it an operator's key was used, of which a small sum may be the first sign.
 */
function isNews(order: Order, { asset, legs, swap }: FoundMove, now: number): boolean {
  const amount = legs.reduce((total, leg) => total + leg.amount, 0n)
  if (swap || wouldBegin(order, asset, amount)) return true
  const isReleasable = order.depositTerms !== undefined && now >= order.depositTerms.release_at * 1000
  return !isReleasable && !order.settlements.some(({ isForeign, token }) => isForeign && sameAsset(token, asset))
}

/** Without it, the order may be unpaid again. Its next settlement then pays what is due. */
export function lost(order: Order, id: string): readonly Fact[] {
  const settlement = order.settlements.find(
    (known) => known.state === 'confirmed' && (known.isForeign ? known.id === id : known.moveId === id),
  )
  const refunds = refundsLost(order, id)
  if (!settlement) return refunds
  return [
    { type: 'settlement_lost', id: settlement.id },
    ...(isCompletedBy(order, settlement) ? ([{ type: 'became', status: 'EXECUTING_ORDER' }] as const) : []),
    ...refunds,
  ]
}

/** Transfers are applied once somebody else has moved their money, since it went where the terms say. */
export const applyMoved: Reaction = (order) => {
  if (runningSettlement(order)) return []
  const isMoving = (asset: Asset) => order.refunds.some((refund) => refund.state === 'pending' && sameAsset(refund.asset, asset))
  const moved = order.settlements
    .filter(({ isForeign, state }) => isForeign && state === 'confirmed')
    .map(({ token, swap }) => swap?.source ?? token)
  // Anybody can move dust as often as they like, so the balance is computed once per asset.
  const emptied = distinctAssets(moved).filter((asset) => !isMoving(asset) && atDeposit(order, asset) <= 0n)
  const keys = order.transfers
    .filter(({ state, asset }) => (state === 'confirmed' || state === 'held') && emptied.some((token) => sameAsset(token, asset)))
    .map(({ key }) => key)
  return keys.length > 0 ? [{ type: 'transfers_applied', keys }] : []
}
