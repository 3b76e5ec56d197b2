import { type Chain, chainOf } from '../chains/chain.ts'
import type { MoveReason } from '../chains/guard.ts'
import type { Leg } from '../chains/payouts.ts'
import type { Change, Effects, FactOf } from './engine.ts'
import { sendPriority } from './model/created-by.ts'
import { feeCollectorOn } from './model/destination.ts'
import { funding } from './model/funding.ts'
import type { Conversion, Order, Refund, Terms } from './model/order.ts'

/** The effects of an order enqueue its transactions, and keep a REFUND order and the order that it refunds consistent. */
export const orderEffects: Effects = {
  // With `fromDeposit` the refunded order's deposit address has sent the money, so there is nothing to enqueue.
  settlement_planned: { concerns: ({ refundOf }) => !refundOf?.fromDeposit, perform: sendSettlement },
  refund_planned: { concerns: (_, { refund }) => refund.from === 'deposit', perform: sendRefund },
  refund_confirmed: { perform: settleRefundOrder },
  refund_failed: { perform: settleRefundOrder },
  became: { concerns: endsRefundByMerchant, perform: reportRefundByMerchant },
}

async function sendSettlement(
  { engine, tx }: Change,
  order: Order,
  { id, token, legs, swap }: FactOf<'settlement_planned'>,
): Promise<void> {
  const chain = chainOf(engine.chains.values(), token.chainId)
  await chain.payouts.enqueue(tx, {
    id: `${order.id}:${id}`,
    orderId: order.id,
    ...(order.depositTerms && { terms: order.depositTerms }),
    token: token.address,
    legs: legs.map(({ role, to, amount }) => ({ to, amount, ...(role === 'fees' && paysNetwork(chain)) })),
    ...(swap && { swap: swapOf(order, swap), reason: { kind: 'conversion' } as const }),
    priority: sendPriority(order.terms),
    tenant: order.organizationId,
    alone: hasFailed(order),
    purpose: { kind: 'settlement', orderId: order.id, ref: id },
  })
}

/** What has failed once shares no transaction with others. */
const hasFailed = ({ settlements }: Order): boolean => settlements.some(({ state, paid }) => state === 'failed' || paid?.includes(false))

async function sendRefund({ engine, tx }: Change, order: Order, { refund }: FactOf<'refund_planned'>): Promise<void> {
  const chain = chainOf(engine.chains.values(), refund.asset.chainId)
  const legs: Leg[] = [{ to: refund.address, amount: refund.amount - refund.gas }]
  if (refund.gas > 0n) legs.push({ to: feeCollectorOn(order.terms, chain.id), amount: refund.gas, ...paysNetwork(chain) })
  await chain.payouts.enqueue(tx, {
    id: `${order.id}:${refund.id}`,
    orderId: order.id,
    ...(order.depositTerms && { terms: order.depositTerms }),
    token: refund.asset.address,
    legs,
    reason: reasonOf(refund),
    priority: sendPriority(order.terms),
    tenant: order.organizationId,
    alone: true,
    purpose: { kind: 'refund', orderId: order.id, ref: refund.id },
  })
}

/** A refund that has an order of its own was asked for by the merchant. */
function reasonOf({ refundOrderId, evidence, reason }: Refund): MoveReason {
  if (refundOrderId !== undefined) return { kind: 'merchant', ...(evidence !== undefined && { evidence }) }
  return { kind: reason === 'price_moved' ? 'unconverted' : 'surplus' }
}

/** Where a transaction pays its own fee, it comes out of what the fee collector gets. */
const paysNetwork = ({ plannedFee }: Chain) => plannedFee && { paysNetwork: true as const }

/** The chain chooses the route when it converts, so enqueuing the conversion reads no chain and may happen inside the transaction. */
const swapOf = (order: Order, { source, amountIn, minOut }: Conversion) => ({
  tokenIn: source.address,
  amountIn,
  minOut,
  slippageBps: funding(order).quote.slippageBps,
})

/** Reports the outcome of a refund from this order's deposit address to the REFUND order that stands for it. */
async function settleRefundOrder(
  { record }: Change,
  order: Order,
  fact: FactOf<'refund_confirmed'> | FactOf<'refund_failed'>,
): Promise<void> {
  const refund = order.refunds.find(({ id }) => id === fact.id)
  if (refund?.from !== 'deposit' || !refund.refundOrderId) return
  await record(refund.refundOrderId, {
    type: 'refund_sent',
    asset: refund.asset,
    to: refund.address,
    amount: refund.amount - refund.gas,
    outcome: fact.type === 'refund_confirmed' ? { state: 'confirmed', txHash: fact.txHash } : { state: 'failed', reason: fact.reason },
  })
}

function endsRefundByMerchant({ refundOf }: Terms, { status }: FactOf<'became'>): boolean {
  return refundOf !== undefined && !refundOf.fromDeposit && (status === 'COMPLETED' || status === 'EXPIRED')
}

/** A REFUND order that the merchant should pay was paid or has expired, which decides the refund on the refunded order. */
async function reportRefundByMerchant({ record }: Change, order: Order): Promise<void> {
  const { refundOf } = order.terms
  if (!refundOf) return
  const txHash = order.settlements.findLast(({ state }) => state === 'confirmed')?.txHash
  const outcome =
    order.status === 'COMPLETED' && txHash
      ? ({ state: 'confirmed', txHash, paid: [true] } as const)
      : ({ state: 'failed', reason: 'The merchant has not sent the money.' } as const)
  await record(refundOf.orderId, { type: 'refund_outcome', id: refundOf.refundId, outcome })
}
