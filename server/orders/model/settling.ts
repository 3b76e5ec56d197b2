import { subtractToZero } from '../../../src/wire/money.ts'
import type { RefundReason } from '../../../src/wire/order.ts'
import { sameAsset } from './asset.ts'
import type { Fact } from './facts.ts'
import { atDeposit, conversionLeft, funding, nextRefundId, nextSettlementId } from './funding.ts'
import { isSettled, moveTo, type Reaction } from './status.ts'
import type { Conversion, Order, PlannedLeg, Settlement, Transfer } from './order.ts'
import { convertsAnything, leastOutput, type Quote, totalFees } from './quote.ts'

export const runningSettlement = (order: Order): Settlement | undefined =>
  order.settlements.find((settlement) => settlement.state === 'planned' || settlement.state === 'broadcast' || settlement.state === 'mined')

export const legsPaid = (order: Order, role: PlannedLeg['role']): bigint =>
  order.settlements
    .flatMap((settlement) => settlement.legs.filter((leg, index) => leg.role === role && settlement.paid?.[index]))
    .reduce((total, leg) => total + leg.amount, 0n)

export const paysRecipient = ({ state, paid, isRest }: Settlement): boolean => state === 'confirmed' && paid?.[0] === true && !isRest

export const recipientIsPaid = (order: Order): boolean => order.settlements.some(paysRecipient)

/** Plans one settlement at a time. A second one follows only if the first has provably not paid the recipient, and fees are paid once. */
export const planSettlement: Reaction = (order, policy) => {
  if (order.status !== 'EXECUTING_ORDER' || runningSettlement(order) || recipientIsPaid(order) || order.terms.refundOf?.fromDeposit)
    return []
  const { quote } = funding(order)
  if (convertsAnything(quote)) return planConversion(order, quote)
  const available = atDeposit(order, quote.source)
  const owed = totalFees(quote.fees) - legsPaid(order, 'fees')
  // The merchant bears the gas of a failed refund, so less than the fees may be left. The recipient gets at least one smallest unit.
  const fees = owed < available ? owed : subtractToZero(available, 1n)
  const due = quote.output + owed
  const over = available > due ? available - due : 0n
  const legs: PlannedLeg[] = [{ role: 'recipient', to: order.terms.recipient, amount: (available < due ? available : due) - fees }]
  if (fees > 0n) legs.push({ role: 'fees', to: order.terms.feeCollector, amount: fees })
  const facts: Fact[] = []
  const legGas = policy.legGas(quote.source)
  if (order.refundAddress && over > legGas) {
    if (legGas > 0n) legs.push({ role: 'gas', to: order.terms.feeCollector, amount: legGas })
    legs.push({ role: 'refund', to: order.refundAddress, amount: over - legGas })
    facts.push({
      type: 'refund_planned',
      refund: {
        id: nextRefundId(order),
        asset: quote.source,
        amount: over,
        gas: legGas,
        address: order.refundAddress,
        reason: 'overpaid' satisfies RefundReason,
        from: 'settlement',
        transfers: [],
        state: 'pending',
      },
    })
  }
  const spent = order.transfers.filter(
    (transfer) => (transfer.state === 'confirmed' || transfer.state === 'held') && sameAsset(transfer.asset, quote.source),
  )
  return [
    ...facts,
    {
      type: 'settlement_planned',
      id: nextSettlementId(order),
      token: quote.asset,
      legs,
      transfers: spent.map((transfer) => transfer.key),
    },
  ]
}

/**
 * Converts the amount due in the source. It must yield what the recipient and the fees are owed, or the whole transaction reverts. Money
 * beyond that amount is not converted. A conversion that succeeded while the recipient was not paid is not repeated.
 */
function planConversion(order: Order, quote: Quote): readonly Fact[] {
  const fees = totalFees(quote.fees) - legsPaid(order, 'fees')
  const due = leastOutput(quote) + fees
  const spent = order.transfers.filter(
    (transfer) => (transfer.state === 'confirmed' || transfer.state === 'held') && sameAsset(transfer.asset, quote.source),
  )
  const id = nextSettlementId(order)
  const plan = (out: bigint, swap?: Conversion): readonly Fact[] => {
    const owed = fees < out ? fees : 0n
    const legs: PlannedLeg[] = [{ role: 'recipient', to: order.terms.recipient, amount: out - owed }]
    if (owed > 0n) legs.push({ role: 'fees', to: order.terms.feeCollector, amount: owed })
    return [
      { type: 'settlement_planned', id, token: quote.asset, ...(swap && { swap }), legs, transfers: spent.map((transfer) => transfer.key) },
    ]
  }
  const left = conversionLeft(order)
  if (left > 0n) return plan(left < due ? left : due)
  const available = atDeposit(order, quote.source)
  const amountIn = available < quote.input.total ? available : quote.input.total
  // Less may have arrived within the merchant's tolerance, so the expected output shrinks in proportion.
  const minOut = (due * amountIn) / quote.input.total
  return plan(minOut, { source: quote.source, amountIn, minOut, route: quote.route ?? [] })
}

/** What a conversion yielded beyond what was owed is the recipient's if the input is fixed, else the fee collector's, for gas. */
export const sendConversionRemainder: Reaction = (order, policy) => {
  if (order.status !== 'COMPLETED' || runningSettlement(order) || order.settlements.some((settlement) => settlement.isRest)) return []
  const { quote } = funding(order)
  const rest = conversionLeft(order)
  if (!convertsAnything(quote) || rest <= 0n) return []
  const worth = (rest * quote.input.total) / (quote.output + totalFees(quote.fees))
  if (worth <= policy.refundGas(quote.source)) return []
  const leg: PlannedLeg =
    quote.tradeType === 'EXACT_INPUT'
      ? { role: 'recipient', to: order.terms.recipient, amount: rest }
      : { role: 'gas', to: order.terms.feeCollector, amount: rest }
  return [{ type: 'settlement_planned', id: nextSettlementId(order), token: quote.asset, isRest: true, legs: [leg], transfers: [] }]
}

/** Once the recipient was paid, the transfers of that settlement are applied and the order is completed. */
export const complete: Reaction = (order) => {
  const paid = order.settlements.find(paysRecipient)
  if (!paid || isSettled(order)) return []
  const spent = new Set(paid.transfers)
  const isUnapplied = ({ key, state }: Transfer) => spent.has(key) && (state === 'confirmed' || state === 'held')
  const keys = order.transfers.filter(isUnapplied).map(({ key }) => key)
  const applied: Fact[] = keys.length > 0 ? [{ type: 'transfers_applied', keys }] : []
  const path = order.status === 'EXECUTING_ORDER' ? [] : moveTo(order.status, 'EXECUTING_ORDER')
  return [...applied, ...path, { type: 'became', status: 'COMPLETED' }]
}
