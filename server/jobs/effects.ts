import type { Command } from '../domain/commands.ts'
import { sendPriority } from '../domain/createdBy.ts'
import type { Fact } from '../domain/facts.ts'
import { canonicalAddress } from '../domain/asset.ts'
import type { Conversion, Order } from '../domain/order.ts'
import { moveTo } from '../domain/moving.ts'
import { append } from '../store/append.ts'
import type { Tx } from '../store/connect.ts'
import { lockOrder } from '../store/orders.ts'
import type { Engine } from './engine.ts'
import { settleInvoice } from './invoices.ts'

/** Told to another order in the same transaction; handed in, since recording is what brings us here. */
type Tell = (engine: Engine, tx: Tx, order: Order, command: Command) => Promise<unknown>

const obliging: ReadonlySet<Fact['type']> = new Set(['settlement_planned', 'refund_planned', 'refund_confirmed', 'refund_failed'])
const isEnd = (fact: Fact): boolean => fact.type === 'became' && (fact.status === 'COMPLETED' || fact.status === 'EXPIRED')

/** Whether anything beyond the order itself is to be written. An effect that is not named here does not happen at all, which tests find. */
export const oblige = ({ terms }: Order, facts: readonly Fact[]): boolean =>
  terms.invoiceId !== undefined || facts.some((fact) => obliging.has(fact.type) || (terms.refundOf !== undefined && isEnd(fact)))

/** What facts oblige us to do, written into the same transaction: calls into the sending queue, news for linked orders. */
export const performEffects = async (engine: Engine, tx: Tx, after: Order, facts: readonly Fact[], tell: Tell): Promise<void> => {
  if (!oblige(after, facts)) return
  await settleInvoice(engine, tx, after, facts)
  for (const fact of facts) {
    switch (fact.type) {
      case 'settlement_planned': {
        const chain = chainFor(engine, fact.token.chainId)
        const swap = fact.swap && conversion(engine, after, fact.swap)
        const call = chain.settlement({ orderId: after.id, token: fact.token.address, legs: fact.legs, swap })
        await engine.sender.enqueue(tx, {
          id: `${after.id}:${fact.id}`,
          chainId: chain.id,
          ...call,
          priority: sendPriority(after.terms),
          purpose: { kind: 'settlement', orderId: after.id, ref: fact.id },
        })
        break
      }
      case 'refund_planned': {
        const { refund } = fact
        if (refund.from !== 'deposit') break
        const chain = chainFor(engine, refund.asset.chainId)
        const legs = [{ to: refund.address, amount: refund.amount - refund.gas }]
        if (refund.gas > 0n) legs.push({ to: after.terms.feeCollector, amount: refund.gas })
        const call = chain.settlement({ orderId: after.id, token: refund.asset.address, legs })
        await engine.sender.enqueue(tx, {
          id: `${after.id}:${refund.id}`,
          chainId: chain.id,
          ...call,
          priority: sendPriority(after.terms),
          purpose: { kind: 'refund', orderId: after.id, ref: refund.id },
        })
        break
      }
      case 'refund_confirmed':
      case 'refund_failed':
        await tellRefundOrder(engine, tx, after, fact)
        break
      case 'became':
        if (fact.status === 'COMPLETED' || fact.status === 'EXPIRED') await tellRefundedOrder(engine, tx, after, tell)
        break
      default:
        break
    }
  }
}

/** Pure: the way was found when the price was given, so the call is written in the transaction that plans it. */
const conversion = (engine: Engine, order: Order, { source, amountIn, minOut, route }: Conversion) => ({
  tokenIn: source.address,
  amountIn,
  minOut,
  ...engine.swap.call({ chainId: source.chainId, route, amountIn, minOut, to: canonicalAddress(order.depositAddress) ?? '' }),
})

const chainFor = (engine: Engine, chainId: number) => {
  const chain = [...engine.chains.values()].find((one) => one.id === chainId)
  if (!chain) throw new Error(`chain ${chainId} is not configured`)
  return chain
}

/** The order of mode REFUND whose money went out from the first order's deposit address. */
const tellRefundOrder = async (
  engine: Engine,
  tx: Tx,
  order: Order,
  fact: Extract<Fact, { type: 'refund_confirmed' | 'refund_failed' }>,
): Promise<void> => {
  const refund = order.refunds.find((one) => one.id === fact.id)
  if (refund?.from !== 'deposit' || !refund.refundOrderId) return
  const child = await lockOrder(tx, refund.refundOrderId)
  if (!child || child.status !== 'EXECUTING_ORDER') return
  const now = engine.clock()
  const id = `s${child.settlements.length + 1}`
  const token = refund.asset
  const legs = [{ role: 'recipient' as const, to: refund.address, amount: refund.amount - refund.gas }]
  const planned: Fact = { type: 'settlement_planned', id, token, legs, transfers: [] }
  const facts: Fact[] =
    fact.type === 'refund_confirmed'
      ? [planned, { type: 'settlement_confirmed', id, txHash: fact.txHash, paid: [true] }, { type: 'became', status: 'COMPLETED' }]
      : [planned, { type: 'settlement_failed', id, reason: fact.reason }, ...moveTo(child.status, 'FAILED')]
  await append(tx, child, facts, engine.rules, now)
}

/** An order of mode REFUND that the merchant was to pay has been paid, or its time is over: the first order learns it. */
const tellRefundedOrder = async (engine: Engine, tx: Tx, order: Order, tell: Tell): Promise<void> => {
  const { refundOf } = order.terms
  if (!refundOf || refundOf.fromDeposit) return
  const first = await lockOrder(tx, refundOf.orderId)
  if (!first) return
  const txHash = order.settlements.findLast((one) => one.state === 'confirmed')?.txHash
  const outcome =
    order.status === 'COMPLETED' && txHash
      ? ({ state: 'confirmed', txHash, paid: [true] } as const)
      : ({ state: 'failed', reason: 'The merchant has not sent the money.' } as const)
  await tell(engine, tx, first, { type: 'refund_outcome', id: refundOf.refundId, outcome })
}
