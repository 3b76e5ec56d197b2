import { type Asset, canonicalAddress, sameAsset } from './asset.ts'
import type { Arrival } from './commands.ts'
import { atDeposit } from './funding.ts'
import type { Order, Transfer } from './order.ts'

export interface BalanceSeen {
  readonly asset: Asset
  readonly balance: bigint
  readonly block: number
  readonly blockHash: string
  readonly needed: number
}

/** Money on its way in or out makes books and chain differ for a moment: such an order waits for the next look. */
const isAtRest = (order: Order): boolean =>
  order.settlements.every((settlement) => settlement.state === 'confirmed' || settlement.state === 'failed') &&
  order.refunds.every((refund) => refund.state !== 'pending' || refund.from === 'order') &&
  order.transfers.every((transfer) => transfer.state !== 'seen')

/** A node may be behind the one that saw money leave. What left under an earlier release has no block, and was seen long ago. */
const leftAfter = (order: Order, { chainId }: Asset, block: number): boolean =>
  order.settlements.some((settlement) => settlement.token.chainId === chainId && (settlement.block ?? 0) > block) ||
  order.refunds.some((refund) => refund.asset.chainId === chainId && (refund.block ?? 0) > block)

/** What is at the deposit address and in no book. */
export function unexplained(order: Order, asset: Asset, balance: bigint, block: number): bigint {
  if (!isAtRest(order) || leftAfter(order, asset, block)) return 0n
  const later = order.transfers
    .filter((transfer) => sameAsset(transfer.asset, asset) && transfer.block > block && transfer.state !== 'dropped')
    .reduce((sum, transfer) => sum + transfer.amount, 0n)
  const booked = atDeposit(order, asset) - later
  return balance > booked ? balance - booked : 0n
}

export const isByBalance = (transfer: Transfer): boolean => transfer.txHash.startsWith('balance:')

/** A transfer up to a block whose balance was already compared with the books is part of what that found. */
export function explained(order: Order): (arrival: Arrival) => boolean {
  const balances = order.transfers.filter((transfer) => isByBalance(transfer) && transfer.state !== 'dropped')
  return ({ key, asset, block }) =>
    balances.some((balance) => balance.key !== key && sameAsset(balance.asset, asset) && block <= balance.block)
}

/** Recorded by chain, address and block range, since there is no transaction to name. */
export function arrivalByBalance(
  order: Order,
  { asset, balance, block, blockHash, needed }: BalanceSeen,
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
