import { subtractToZero } from '../../../src/wire/money.ts'
import type { RefundReason } from '../../../src/wire/order.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Policy } from './commands.ts'
import { deductedGas } from './deducted-gas.ts'
import { feeCollectorOn } from './destination.ts'
import type { Fact } from './facts.ts'
import { atDeposit, conversionLeft, everReceived, funding, nextRefundId, quoteById, receivedAssets, refunded } from './funding.ts'
import { isRefundable } from './movable.ts'
import { refundAddressOn } from './refund-address.ts'
import type { Reaction } from './status.ts'
import type { Order, Transfer } from './order.ts'
import { convertsAnything } from './quote.ts'
import { legsPaid, paysRecipient, runningSettlement } from './settling.ts'

/** Once an order is completed or superseded, what is left at its deposit address goes to the refund address, less the gas of sending it. */
export const returnSurplus: Reaction = (order, policy) => {
  const isFinal = order.status === 'COMPLETED' || order.supersededBy !== undefined
  if (!isFinal || !order.refundAddress || order.terms.refundOf?.fromDeposit || runningSettlement(order)) return []
  // A superseded order returns all its sources, and a completed one only the source that paid it.
  const assets = order.supersededBy === undefined ? [funding(order).quote.source] : order.quotes.map(({ source }) => source)
  for (const asset of assets) {
    if (!isRefundable(order, asset.chainId)) continue
    const address = refundAddressOn(order, asset.chainId)
    const before = order.refunds.findLast(
      (refund) => refund.from !== 'order' && refund.address === address && refund.asset.chainId === asset.chainId,
    )
    const planned = address === undefined || before?.state === 'failed' ? undefined : surplusRefund(order, asset, address, policy)
    if (planned) return [planned]
  }
  return []
}

/** Some of them may have been spent, and what is left of them is one transfer more. */
export const transfersIn = (order: Order, asset: Asset): number =>
  Math.max(1, order.transfers.filter((transfer) => transfer.state !== 'dropped' && sameAsset(transfer.asset, asset)).length)

function surplusRefund(order: Order, asset: Asset, address: string, policy: Policy): Fact | undefined {
  const available = atDeposit(order, asset) - unsettled(order, asset)
  // The merchant may meanwhile have refunded a surplus that was too small to send, and it must not be returned twice.
  const unreturned = everReceived(order, asset) - refunded(order, asset)
  const left = available < unreturned ? available : unreturned
  const cost = policy.refundGas(asset, transfersIn(order, asset))
  if (left < cost + policy.leastLeg(asset, address)) return undefined
  const isLate = (transfer: Transfer) =>
    transfer.state === 'held' && transfer.reason === 'after_settlement' && sameAsset(transfer.asset, asset)
  return {
    type: 'refund_planned',
    refund: {
      id: nextRefundId(order),
      asset,
      amount: left,
      gas: deductedGas(policy, asset, cost, feeCollectorOn(order.terms, asset.chainId)),
      address,
      reason: 'overpaid' satisfies RefundReason,
      from: 'deposit',
      transfers: order.transfers.filter(isLate).map(({ key }) => key),
      state: 'pending',
    },
  }
}

/** What was due and is still at the address stays there: fees whose leg failed, or what others have left who settled the order. */
function unsettled(order: Order, asset: Asset): bigint {
  const { quote } = funding(order)
  if (order.supersededBy !== undefined || !sameAsset(quote.asset, asset)) return 0n
  const ours = order.settlements.filter((settlement) => paysRecipient(settlement) && sameAsset(settlement.token, asset))
  if (ours.length === 0) return subtractToZero(quote.input.total, legsPaid(order, 'recipient', asset), legsPaid(order, 'fees', asset))
  return ours
    .flatMap(({ legs, paid }) => legs.filter(({ role }, i) => role === 'fees' && !paid?.[i]))
    .reduce((total, { amount }) => total + amount, 0n)
}

/** Money is refunded after `conversionAttempts` failed conversions, since the price may never return to within the slippage. */
export const returnUnconverted: Reaction = (order, policy) => {
  const { quote } = funding(order)
  const isGivenUp = order.status === 'FAILED' && (order.failure?.attempts ?? 0) >= policy.conversionAttempts
  const address = refundAddressOn(order, quote.source.chainId)
  if (
    !isGivenUp ||
    !convertsAnything(quote) ||
    runningSettlement(order) ||
    address === undefined ||
    !isRefundable(order, quote.source.chainId) ||
    conversionLeft(order, quote.asset) > 0n
  )
    return []
  const amount = atDeposit(order, quote.source)
  const cost = policy.refundGas(quote.source, transfersIn(order, quote.source))
  const isTooLittle = amount < cost + policy.leastLeg(quote.source, address)
  if (isTooLittle || order.refunds.some((refund) => refund.from === 'deposit' && sameAsset(refund.asset, quote.source))) return []
  return [
    {
      type: 'refund_planned',
      refund: {
        id: nextRefundId(order),
        asset: quote.source,
        amount,
        gas: deductedGas(policy, quote.source, cost, feeCollectorOn(order.terms, quote.source.chainId)),
        address,
        reason: 'price_moved' satisfies RefundReason,
        from: 'deposit',
        transfers: [],
        state: 'pending',
      },
    },
  ]
}

/** Several refunds together may have returned an asset, so its `held` transfers become `refunded` once none of it is left. */
export const markReturned: Reaction = (order) =>
  receivedAssets(order).flatMap((asset) => {
    const isMoving =
      runningSettlement(order) || order.refunds.some((refund) => refund.state === 'pending' && sameAsset(refund.asset, asset))
    if (isMoving || atDeposit(order, asset) !== 0n || refunded(order, asset) === 0n) return []
    const keys = order.transfers.filter(({ state, asset: held }) => state === 'held' && sameAsset(held, asset)).map(({ key }) => key)
    return keys.length > 0 ? [{ type: 'transfers_refunded', keys }] : []
  })

/** Money that was converted, but not paid to the recipient, counts as returned once the conversion's output was refunded. */
function isFullyReturned(order: Order, asset: Asset): boolean {
  const { asset: settled } = funding(order).quote
  const left = conversionLeft(order, settled)
  const conversionReturned = left > 0n && refunded(order, settled, true) - everReceived(order, settled) >= left
  const converted = conversionReturned
    ? order.settlements.reduce(
        (sum, { swap, state }) => (swap && state === 'confirmed' && sameAsset(swap.source, asset) ? sum + swap.amountIn : sum),
        0n,
      )
    : 0n
  return refunded(order, asset, true) + converted >= everReceived(order, asset)
}

/** An order becomes REFUNDED only when all money in the source that paid it, or in all sources if none did, has provably been returned. */
export const closeRefunded: Reaction = (order) => {
  const { status } = order
  if (order.terms.refundOf?.fromDeposit) return []
  if (status !== 'COMPLETED' && status !== 'PARTIAL_PAYMENT' && status !== 'FAILED' && status !== 'EXPIRED') return []
  const received = receivedAssets(order)
  const taken = order.fixedQuote === undefined ? undefined : quoteById(order, order.fixedQuote).source
  const assets = taken ? received.filter((asset) => sameAsset(asset, taken)) : received
  if (assets.length === 0 || !assets.every((asset) => isFullyReturned(order, asset))) return []
  const isReturned = ({ state, asset }: Transfer) =>
    (state === 'confirmed' || state === 'held') && assets.some((other) => sameAsset(other, asset))
  const keys = order.transfers.filter(isReturned).map(({ key }) => key)
  const returned: Fact[] = keys.length > 0 ? [{ type: 'transfers_refunded', keys }] : []
  return [...returned, { type: 'became', status: 'REFUNDED' }]
}
