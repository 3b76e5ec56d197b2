import { chainOf } from '../chains/chain.ts'
import type { Change, Effects, Engine, FactOf } from './engine.ts'
import { canonicalAddress } from './model/asset.ts'
import { sendPriority } from './model/created-by.ts'
import type { Conversion, Order, Terms } from './model/order.ts'

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
  const call = chain.settlement({
    orderId: order.id,
    token: token.address,
    legs,
    swap: swap && conversionCall(engine, order, swap),
  })
  await engine.sender.enqueue(tx, {
    id: `${order.id}:${id}`,
    chainId: chain.id,
    ...call,
    priority: sendPriority(order.terms),
    purpose: { kind: 'settlement', orderId: order.id, ref: id },
  })
}

async function sendRefund({ engine, tx }: Change, order: Order, { refund }: FactOf<'refund_planned'>): Promise<void> {
  const chain = chainOf(engine.chains.values(), refund.asset.chainId)
  const legs = [{ to: refund.address, amount: refund.amount - refund.gas }]
  if (refund.gas > 0n) legs.push({ to: order.terms.feeCollector, amount: refund.gas })
  const call = chain.settlement({ orderId: order.id, token: refund.asset.address, legs })
  await engine.sender.enqueue(tx, {
    id: `${order.id}:${refund.id}`,
    chainId: chain.id,
    ...call,
    priority: sendPriority(order.terms),
    purpose: { kind: 'refund', orderId: order.id, ref: refund.id },
  })
}

/** The quote stores the route, so encoding the call reads no chain and may happen inside the transaction. */
const conversionCall = (engine: Engine, order: Order, { source, amountIn, minOut, route }: Conversion) => ({
  tokenIn: source.address,
  amountIn,
  minOut,
  ...engine.swap.call({ chainId: source.chainId, route, amountIn, minOut, to: canonicalAddress(order.depositAddress) ?? '' }),
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
