import { subtractToZero } from '../../../src/wire/money.ts'
import { type Asset, sameAsset } from './asset.ts'
import { isBound } from './movable.ts'
import type { Order, Settlement } from './order.ts'

/**
 * Returns the highest fee that the terms allow when `moved` leaves the deposit address: a share of it, and what earlier settlements have left
 * of the flat fee. The contract computes the same, and reverts a settlement whose fee is higher. Where no contract binds the address there is
 * no cap. Calls of others that run inside each other can hide from the events which fee belongs to which sum, so once a settlement has failed
 * that was planned after such moves, only the share is left.
 */
export function feeCap({ depositTerms, settlements }: Pick<Order, 'depositTerms' | 'settlements'>, asset: Asset, moved: bigint): bigint {
  if (!isBound(asset.chainId)) return moved
  const caps = depositTerms?.settlements.find(({ chain_id, token }) => sameAsset({ chainId: chain_id, address: token }, asset))
  if (!caps) return 0n
  const share = (amount: bigint): bigint => (amount * BigInt(caps.max_fee_bps)) / 10_000n
  const flatOf = ({ legs, paid }: Settlement): bigint => {
    const fee = legs.reduce((total, leg, i) => (leg.role === 'fees' && paid?.[i] ? total + leg.amount : total), 0n)
    return subtractToZero(fee, share(legs.reduce((total, leg) => total + leg.amount, 0n)))
  }
  const flatPaid = settlements
    .filter(({ token, state }) => state === 'confirmed' && sameAsset(token, asset))
    .reduce((total, settlement) => total + flatOf(settlement), 0n)
  return share(moved) + (hasFailedAfterOthers(settlements, asset) ? 0n : subtractToZero(BigInt(caps.max_fee_flat), flatPaid))
}

/** Settlements are listed in the order in which they became known. */
function hasFailedAfterOthers(settlements: readonly Settlement[], asset: Asset): boolean {
  const inAsset = settlements.filter(({ token }) => sameAsset(token, asset))
  const first = inAsset.findIndex(({ isForeign, state }) => isForeign && state === 'confirmed')
  return first >= 0 && inAsset.slice(first).some(({ isForeign, state }) => !isForeign && state === 'failed')
}
