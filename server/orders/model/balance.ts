import { type Asset, canonicalAddress, sameAsset } from './asset.ts'
import type { Arrival, ObservedBalance } from './commands.ts'
import { atDeposit } from './funding.ts'
import type { Order, Transfer } from './order.ts'

/** While money is in flight, books and chain legitimately differ, so such an order is compared again later. */
const hasNothingInFlight = (order: Order): boolean =>
  order.settlements.every((settlement) => settlement.state === 'confirmed' || settlement.state === 'failed') &&
  order.refunds.every((refund) => refund.state !== 'pending' || refund.from === 'order') &&
  order.transfers.every((transfer) => transfer.state !== 'seen')

/** The node that answered may lag behind the one that saw money leave. An earlier release's payouts have no block and are old enough. */
const leftAfter = (order: Order, { chainId }: Asset, block: number): boolean =>
  order.settlements.some((settlement) => settlement.token.chainId === chainId && (settlement.block ?? 0) > block) ||
  order.refunds.some((refund) => refund.asset.chainId === chainId && (refund.block ?? 0) > block)

/** Returns how much of the deposit address's balance our books do not explain, or zero while the two cannot be compared. */
export function unexplained(order: Order, asset: Asset, balance: bigint, block: number): bigint {
  if (!hasNothingInFlight(order) || leftAfter(order, asset, block)) return 0n
  const later = order.transfers
    .filter((transfer) => sameAsset(transfer.asset, asset) && transfer.block > block && transfer.state !== 'dropped')
    .reduce((sum, transfer) => sum + transfer.amount, 0n)
  const booked = atDeposit(order, asset) - later
  return balance > booked ? balance - booked : 0n
}

export const isByBalance = (transfer: Transfer): boolean => transfer.txHash.startsWith('balance:')

/** If money was found by the balance at a block, then a transfer at or below that block is part of it and must not count twice. */
export function isExplainedBy(order: Order): (arrival: Arrival) => boolean {
  const balances = order.transfers.filter((transfer) => isByBalance(transfer) && transfer.state !== 'dropped')
  return ({ key, asset, block }) =>
    balances.some((balance) => balance.key !== key && sameAsset(balance.asset, asset) && block <= balance.block)
}

/** The key consists of chain, address and block range, since no transaction is known. */
export function arrivalByBalance(
  order: Order,
  { asset, balance, block, blockHash, needed }: ObservedBalance,
  now: number,
): Arrival | undefined {
  const amount = unexplained(order, asset, balance, block)
  if (amount === 0n) return undefined
  const before = order.transfers
    .filter((transfer) => isByBalance(transfer) && sameAsset(transfer.asset, asset))
    .map((transfer) => transfer.block)
  const from = Math.max(0, ...before) + 1
  return {
    key: `${asset.chainId}:${canonicalAddress(order.depositAddress)}:${from}-${block}`,
    asset,
    txHash: `balance:${from}-${block}`,
    amount,
    block,
    blockHash,
    seenAt: now,
    needed,
  }
}
