import { type Asset, sameAsset } from './asset.ts'
import type { Arrival, ObservedBalance } from './commands.ts'
import { depositOn } from './deposits.ts'
import { atDeposit } from './funding.ts'
import type { Order, Transfer } from './order.ts'
import { placedAt, positionOf, type Position } from './position.ts'

/** While money is in flight, books and chain legitimately differ, so such an order is compared again later. */
const hasNothingInFlight = (order: Order): boolean =>
  order.settlements.every((settlement) => settlement.state === 'confirmed' || settlement.state === 'failed') &&
  order.refunds.every((refund) => refund.state !== 'pending' || refund.from === 'order') &&
  order.transfers.every((transfer) => transfer.state !== 'seen')

/** The node that answered may lag behind the one that saw money leave. An earlier release's payouts have no height and are old enough. */
const leftAfter = (order: Order, { chainId }: Asset, { height }: Position): boolean =>
  order.settlements.some((settlement) => settlement.token.chainId === chainId && (settlement.block ?? 0) > height) ||
  order.refunds.some((refund) => refund.asset.chainId === chainId && (refund.block ?? 0) > height)

/** A transfer without a position is in no balance yet, so it comes after every position. */
const isAfter = (transfer: Transfer | Arrival, { height }: Position): boolean => (positionOf(transfer)?.height ?? Infinity) > height

/** Returns how much of the deposit address's balance our books do not explain, or zero while the two cannot be compared. */
export function unexplained(order: Order, asset: Asset, balance: bigint, at: Position): bigint {
  if (!hasNothingInFlight(order) || leftAfter(order, asset, at)) return 0n
  const later = order.transfers
    .filter((transfer) => sameAsset(transfer.asset, asset) && isAfter(transfer, at) && transfer.state !== 'dropped')
    .reduce((sum, transfer) => sum + transfer.amount, 0n)
  const booked = atDeposit(order, asset) - later
  return balance > booked ? balance - booked : 0n
}

export const isByBalance = (transfer: Transfer): boolean => transfer.txHash.startsWith('balance:')

/** If money was found by the balance at a position, then a transfer up to that position is part of it and must not count twice. */
export function isExplainedBy(order: Order): (arrival: Arrival) => boolean {
  const balances = order.transfers.filter((transfer) => isByBalance(transfer) && transfer.state !== 'dropped')
  return (arrival) =>
    balances.some((balance) => {
      const at = positionOf(balance)
      return balance.key !== arrival.key && sameAsset(balance.asset, arrival.asset) && at !== undefined && !isAfter(arrival, at)
    })
}

/** The key consists of chain, address and a range of heights, since no transaction is known. */
export function arrivalByBalance(order: Order, { asset, balance, at, needed }: ObservedBalance, now: number): Arrival | undefined {
  const amount = unexplained(order, asset, balance, at)
  if (amount === 0n) return undefined
  const before = order.transfers
    .filter((transfer) => isByBalance(transfer) && sameAsset(transfer.asset, asset))
    .map((transfer) => positionOf(transfer)?.height ?? 0)
  const from = Math.max(0, ...before) + 1
  return {
    key: `${asset.chainId}:${depositOn(order, asset.chainId)}:${from}-${at.height}`,
    asset,
    txHash: `balance:${from}-${at.height}`,
    amount,
    ...placedAt(at),
    seenAt: now,
    confirmations: needed,
    needed,
  }
}
