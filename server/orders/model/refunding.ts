import { sameAsset } from './asset.ts'
import { accept, type Command, type Decision, type Policy, type RefundAsked, refuse } from './commands.ts'
import { deductedGas } from './deducted-gas.ts'
import { feeCollectorOn } from './destination.ts'
import type { Fact } from './facts.ts'
import { atDeposit, conversionLeft, everReceived, funding, nextSettlementId, refunded } from './funding.ts'
import { moveTo } from './status.ts'
import type { Order } from './order.ts'
import { isBound, isRefundable } from './movable.ts'
import { runningSettlement } from './settling.ts'

const isSettledOrEnded = (order: Order): boolean =>
  !runningSettlement(order) &&
  (order.status === 'COMPLETED' ||
    order.status === 'PARTIAL_PAYMENT' ||
    order.status === 'FAILED' ||
    order.status === 'EXPIRED' ||
    order.status === 'REFUNDED')

/** Two calls of one second have the same signature, unless it covers their bodies. */
const isSignatureUsed = ({ refunds }: Order, { evidence, from, asset }: RefundAsked): boolean =>
  from === 'deposit' &&
  isBound(asset.chainId) &&
  evidence !== undefined &&
  refunds.some((known) => known.evidence?.signature === evidence.signature && known.evidence.api_key === evidence.api_key)

/**
 * Money that is still at the deposit address is refunded from there, and the merchant pays any other refund. Money in a currency that does
 * not pay the order can be refunded in every status.
 */
export function planRefund(order: Order, asked: RefundAsked, policy: Policy): Decision {
  if (order.refunds.some((known) => known.id === asked.id)) return accept([])
  if (sameAsset(asked.asset, funding(order).quote.source) && !isSettledOrEnded(order)) {
    return refuse('nothing_to_refund', `An order that is ${order.status} cannot be refunded.`)
  }
  if (asked.from === 'deposit' && !isRefundable(order, asked.asset.chainId))
    return refuse('no_guard', 'No guard can sign for a refund from the deposit address of this order.')
  const onDeposit = atDeposit(order, asked.asset)
  const { quote } = funding(order)
  const converted = sameAsset(asked.asset, quote.asset) && order.status === 'FAILED' ? conversionLeft(order, quote.asset) : 0n
  const left = everReceived(order, asked.asset) + converted - refunded(order, asked.asset)
  const least = policy.leastLeg(asked.asset, asked.address)
  if (asked.amount > left) return refuse('refund_too_large', 'That is more than what was received and not yet refunded.')
  const isReturnable = isRefundable(order, asked.asset.chainId) && onDeposit >= asked.gas + least
  if (asked.from === 'order' && isReturnable && asked.amount > left - onDeposit) {
    return refuse('refund_too_large', 'Part of it is still at the deposit address and goes back from there: refund that part on its own.')
  }
  if (asked.from === 'deposit' && asked.amount > onDeposit)
    return refuse('refund_too_large', 'That much is no longer at the deposit address.')
  if (asked.from === 'deposit' && asked.amount < asked.gas + least)
    return refuse('refund_too_large', 'That is less than what sending it costs, or than its network can send.')
  if (isSignatureUsed(order, asked))
    return refuse(
      'signature_used',
      'This signature has asked for another refund of the order. Sign again, with a later timestamp or over the body.',
    )
  // A refund of exactly the `held` transfers marks them as refunded, unless a settlement failed. Any other refund only books its amount.
  const held = order.transfers.filter((transfer) => transfer.state === 'held' && sameAsset(transfer.asset, asked.asset))
  const heldSum = held.reduce((total, transfer) => total + transfer.amount, 0n)
  const isWhole = held.every((transfer) => transfer.reason !== 'settlement_failed') && heldSum === asked.amount && asked.from === 'deposit'
  const collector = feeCollectorOn(order.terms, asked.asset.chainId)
  const gas = asked.from === 'deposit' ? deductedGas(policy, asked.asset, asked.gas, collector) : 0n
  return accept([
    { type: 'refund_planned', refund: { ...asked, gas, transfers: isWhole ? held.map((transfer) => transfer.key) : [], state: 'pending' } },
  ])
}

/** Ends a REFUND order with the outcome of the transaction that the refunded order's deposit address sent, at most once. */
export function refundSent(order: Order, { asset, to, amount, outcome }: Extract<Command, { type: 'refund_sent' }>): readonly Fact[] {
  if (order.status !== 'EXECUTING_ORDER') return []
  const id = nextSettlementId(order)
  const planned: Fact = { type: 'settlement_planned', id, token: asset, legs: [{ role: 'recipient', to, amount }], transfers: [] }
  switch (outcome.state) {
    case 'confirmed':
      return [planned, { type: 'settlement_confirmed', id, txHash: outcome.txHash, paid: [true] }, { type: 'became', status: 'COMPLETED' }]
    case 'failed':
      return [planned, { type: 'settlement_failed', id, reason: outcome.reason }, ...moveTo(order.status, 'FAILED')]
    default:
      return outcome satisfies never
  }
}
