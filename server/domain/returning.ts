import { subtractToZero } from '../../src/wire/money.ts'
import type { RefundReason } from '../../src/wire/refund-reasons.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Fact } from './facts.ts'
import { atDeposit, conversionLeft, everReceived, funding, receivedAssets, refunded } from './funding.ts'
import type { Rule } from './moving.ts'
import type { Order } from './order.ts'
import { convertsAnything, totalFees } from './quote.ts'
import { legsPaid, runningSettlement } from './settling.ts'

/** What is left at the deposit address after settling goes back where the payer said, once, less what sending it costs. */
export const returnSurplus: Rule = (order, rules) => {
  const isDone = order.status === 'COMPLETED' || order.supersededBy !== undefined
  if (!isDone || !order.refundAddress || order.terms.refundOf?.fromDeposit) return []
  const before = order.refunds.findLast((one) => one.from !== 'order' && one.address === order.refundAddress)
  if (before?.state === 'failed') return []
  const { quote } = funding(order)
  const { source } = quote
  // Fees that nobody took yet are still there, in what the order settles in.
  const owed =
    convertsAnything(quote) || order.supersededBy !== undefined ? 0n : subtractToZero(totalFees(quote.fees), legsPaid(order, 'fees'))
  const there = atDeposit(order, source) - owed
  // What was too little to send may have been paid by the merchant since: it goes back once.
  const unreturned = everReceived(order, source) - refunded(order, source)
  const left = there < unreturned ? there : unreturned
  if (left <= rules.refundGas) return []
  const late = order.transfers.filter((one) => one.state === 'held' && one.reason === 'after_settlement' && sameAsset(one.asset, source))
  return [
    {
      type: 'refund_planned',
      refund: {
        id: `r${order.refunds.length + 1}`,
        asset: source,
        amount: left,
        gas: rules.refundGas,
        address: order.refundAddress,
        reason: 'overpaid' satisfies RefundReason,
        from: 'deposit',
        transfers: late.map((one) => one.key),
        state: 'pending',
      },
    },
  ]
}

/** What could not be converted within its slippage, several times, goes back where the payer said; the price may never return. */
export const giveBackUnconverted: Rule = (order, rules) => {
  const { quote } = funding(order)
  const isHopeless = order.status === 'FAILED' && (order.failure?.attempts ?? 0) >= rules.conversionAttempts
  if (!isHopeless || !convertsAnything(quote) || runningSettlement(order) || !order.refundAddress || conversionLeft(order) > 0n) return []
  const amount = atDeposit(order, quote.source)
  if (amount <= rules.refundGas || order.refunds.some((one) => one.from === 'deposit' && sameAsset(one.asset, quote.source))) return []
  return [
    {
      type: 'refund_planned',
      refund: {
        id: `r${order.refunds.length + 1}`,
        asset: quote.source,
        amount,
        gas: rules.refundGas,
        address: order.refundAddress,
        reason: 'price_moved' satisfies RefundReason,
        from: 'deposit',
        transfers: [],
        state: 'pending',
      },
    },
  ]
}

/** Several refunds together may have given back what was held: once nothing is left of a currency, none of it is held. */
export const markReturned: Rule = (order) =>
  receivedAssets(order).flatMap((asset) => {
    const isMoving = runningSettlement(order) || order.refunds.some((one) => one.state === 'pending' && sameAsset(one.asset, asset))
    if (isMoving || atDeposit(order, asset) !== 0n || refunded(order, asset) === 0n) return []
    return order.transfers
      .filter((one) => one.state === 'held' && sameAsset(one.asset, asset))
      .map((one): Fact => ({ type: 'transfer_refunded', key: one.key }))
  })

/** What was converted before the recipient could be paid goes back as what it became. */
const isBack = (order: Order, asset: Asset): boolean => {
  const { asset: settled } = funding(order).quote
  const isOut = conversionLeft(order) > 0n && refunded(order, settled, true) - everReceived(order, settled) >= conversionLeft(order)
  const converted = isOut
    ? order.settlements.reduce(
        (sum, { swap, state }) => (swap && state === 'confirmed' && sameAsset(swap.source, asset) ? sum + swap.amountIn : sum),
        0n,
      )
    : 0n
  return refunded(order, asset, true) + converted >= everReceived(order, asset)
}

/** REFUNDED only when everything that ever arrived has provably gone back. */
export const closeRefunded: Rule = (order) => {
  const { status } = order
  if (order.terms.refundOf?.fromDeposit) return []
  if (status !== 'COMPLETED' && status !== 'PARTIAL_PAYMENT' && status !== 'FAILED' && status !== 'EXPIRED') return []
  const assets = receivedAssets(order)
  if (assets.length === 0 || !assets.every((asset) => isBack(order, asset))) return []
  const given = order.transfers
    .filter((one) => one.state === 'confirmed' || one.state === 'held')
    .map((one): Fact => ({ type: 'transfer_refunded', key: one.key }))
  return [...given, { type: 'became', status: 'REFUNDED' }]
}
