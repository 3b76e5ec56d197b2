import type { OrderStatus } from '../../src/wire/order.ts'
import { sameAsset } from './asset.ts'
import type { Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit, funding, receivedAssets, refunded, everReceived } from './funding.ts'
import type { Order, PlannedLeg, Settlement, Transfer } from './order.ts'
import { totalFees } from './quote.ts'

/**
 * What follows from what is now known, one step at a time: which money counts, where the order stands, what to send.
 * `decide` calls it until nothing follows any more.
 */
export const react = (order: Order, rules: Rules, now: number): readonly Fact[] => {
  for (const rule of [fixSource, holdStrays, stand, planSettlement, finish, returnSurplus, closeRefunded]) {
    const facts = rule(order, rules, now)
    if (facts.length > 0) return facts
  }
  return []
}

type Rule = (order: Order, rules: Rules, now: number) => readonly Fact[]

const isPresent = (transfer: Transfer): boolean => transfer.state === 'seen' || transfer.state === 'confirmed'

/** Money in any quoted currency decides the source at first sight: the active quote first, else the newest of that currency. */
const fixSource: Rule = (order) => {
  if (order.fixedQuote !== undefined) return []
  for (const transfer of order.transfers.filter(isPresent)) {
    const quotes = order.quotes.filter((quote) => sameAsset(quote.source, transfer.asset))
    const quote = quotes.find((one) => one.id === order.activeQuote) ?? quotes.at(-1)
    if (quote) return [{ type: 'source_fixed', quoteId: quote.id }]
  }
  return []
}

const isSettled = (order: Order): boolean => order.status === 'COMPLETED' || order.status === 'REFUNDED'

/** Confirmed money that this order cannot use is held, with the reason a payer and a merchant can read. */
const holdStrays: Rule = (order) => {
  const { source } = funding(order).quote
  return order.transfers.flatMap((transfer): Fact[] => {
    if (transfer.state !== 'confirmed') return []
    if (sameAsset(transfer.asset, source)) {
      return isSettled(order) ? [{ type: 'transfer_held', key: transfer.key, reason: 'after_settlement' }] : []
    }
    return [{ type: 'transfer_held', key: transfer.key, reason: transfer.asset.chainId === source.chainId ? 'wrong_token' : 'wrong_chain' }]
  })
}

export const runningSettlement = (order: Order): Settlement | undefined =>
  order.settlements.find((one) => one.state === 'planned' || one.state === 'broadcast' || one.state === 'mined')

/** Where the money says the order stands. Settled and failed orders do not move by money alone. */
const standing = (order: Order, now: number): OrderStatus => {
  if (isSettled(order) || order.status === 'FAILED') return order.status
  const { enough, kept, seen } = funding(order)
  if (kept >= enough && kept > 0n) return 'EXECUTING_ORDER'
  if (kept + seen >= enough && seen > 0n) return order.status === 'OPTIMISTIC_CONFIRMED' ? order.status : 'AWAITING_CONFIRMATION'
  if (kept > 0n) return 'PARTIAL_PAYMENT'
  if (order.status === 'PENDING') return seen > 0n ? 'AWAITING_PAYMENT' : 'PENDING'
  if (order.status === 'AWAITING_PAYMENT' || order.status === 'EXPIRED') return order.status
  return now >= order.expiresAt ? 'EXPIRED' : 'AWAITING_PAYMENT'
}

/** Statuses that lie between, so that the log never shows a step that the contract does not know. */
const between = (from: OrderStatus, to: OrderStatus): readonly OrderStatus[] => {
  if (to === 'EXECUTING_ORDER' && (from === 'PENDING' || from === 'AWAITING_PAYMENT' || from === 'PARTIAL_PAYMENT' || from === 'EXPIRED')) return ['AWAITING_CONFIRMATION']
  if (to === 'PARTIAL_PAYMENT' && from === 'PENDING') return ['AWAITING_PAYMENT']
  return []
}

export const moveTo = (from: OrderStatus, to: OrderStatus): readonly Fact[] => [...between(from, to), to].map((status) => ({ type: 'became', status }))

const stand: Rule = (order, _, now) => {
  if (order.terms.refundOf?.fromDeposit) return []
  const status = standing(order, now)
  return status === order.status ? [] : moveTo(order.status, status)
}

const legsPaid = (order: Order, role: PlannedLeg['role']): bigint =>
  order.settlements.flatMap((one) => one.legs.filter((leg, index) => leg.role === role && one.paid?.[index])).reduce((total, leg) => total + leg.amount, 0n)

const recipientIsPaid = (order: Order): boolean => order.settlements.some((one) => one.state === 'confirmed' && one.paid?.[0])

/** One settlement at a time: a second is planned only when the first has provably not paid the recipient, and fees are paid once. */
const planSettlement: Rule = (order, rules) => {
  if (order.status !== 'EXECUTING_ORDER' || runningSettlement(order) || recipientIsPaid(order) || order.terms.refundOf?.fromDeposit) return []
  const { quote } = funding(order)
  const available = atDeposit(order, quote.source)
  const fees = totalFees(quote.fees) - legsPaid(order, 'fees')
  const due = quote.output + fees
  const over = available > due ? available - due : 0n
  const legs: PlannedLeg[] = [{ role: 'recipient', to: order.terms.recipient, amount: (available < due ? available : due) - fees }]
  if (fees > 0n) legs.push({ role: 'fees', to: order.terms.feeCollector, amount: fees })
  const facts: Fact[] = []
  if (order.refundAddress && over > rules.legGas) {
    if (rules.legGas > 0n) legs.push({ role: 'gas', to: order.terms.feeCollector, amount: rules.legGas })
    legs.push({ role: 'refund', to: order.refundAddress, amount: over - rules.legGas })
    facts.push({
      type: 'refund_planned',
      refund: { id: `r${order.refunds.length + 1}`, asset: quote.source, amount: over, gas: rules.legGas, address: order.refundAddress, reason: 'overpaid', from: 'settlement', transfers: [], state: 'pending' },
    })
  }
  const spent = order.transfers.filter((one) => (one.state === 'confirmed' || one.reason === 'settlement_failed') && sameAsset(one.asset, quote.source))
  return [...facts, { type: 'settlement_planned', id: `s${order.settlements.length + 1}`, token: quote.asset, legs, transfers: spent.map((one) => one.key) }]
}

/** The recipient was paid: what was spent is applied, and the order is done. */
const finish: Rule = (order) => {
  const paid = order.settlements.find((one) => one.state === 'confirmed' && one.paid?.[0])
  if (!paid || isSettled(order)) return []
  const applied = paid.transfers
    .filter((key) => order.transfers.some((one) => one.key === key && one.state !== 'applied'))
    .map((key): Fact => ({ type: 'transfer_applied', key }))
  const path = order.status === 'EXECUTING_ORDER' ? [] : moveTo(order.status, 'EXECUTING_ORDER')
  return [...applied, ...path, { type: 'became', status: 'COMPLETED' }]
}

/** What is left at the deposit address after settling goes back where the payer said, once, less what sending it costs. */
const returnSurplus: Rule = (order, rules) => {
  if (order.status !== 'COMPLETED' || !order.refundAddress || order.terms.refundOf?.fromDeposit) return []
  if (order.refunds.some((one) => one.state === 'failed' && one.address === order.refundAddress)) return []
  const { source } = funding(order).quote
  const unpaidFees = order.settlements
    .filter((one) => one.state === 'confirmed')
    .flatMap((one) => one.legs.filter((leg, index) => (leg.role === 'fees' || leg.role === 'gas') && !one.paid?.[index]))
    .reduce((total, leg) => total + leg.amount, 0n)
  const left = atDeposit(order, source) - unpaidFees
  if (left <= rules.refundGas) return []
  const late = order.transfers.filter((one) => one.state === 'held' && one.reason === 'after_settlement' && sameAsset(one.asset, source))
  const lateSum = late.reduce((total, one) => total + one.amount, 0n)
  return [
    {
      type: 'refund_planned',
      refund: {
        id: `r${order.refunds.length + 1}`,
        asset: source,
        amount: left,
        gas: rules.refundGas,
        address: order.refundAddress,
        reason: 'overpaid',
        from: 'deposit',
        transfers: lateSum <= left ? late.map((one) => one.key) : [],
        state: 'pending',
      },
    },
  ]
}

/** REFUNDED only when everything that ever arrived has provably gone back. */
const closeRefunded: Rule = (order) => {
  const { status } = order
  if (status !== 'COMPLETED' && status !== 'PARTIAL_PAYMENT' && status !== 'FAILED' && status !== 'EXPIRED') return []
  const assets = receivedAssets(order)
  if (assets.length === 0 || !assets.every((asset) => refunded(order, asset, 'confirmed') === everReceived(order, asset))) return []
  const given = order.transfers.filter((one) => one.state === 'confirmed' || one.state === 'held').map((one): Fact => ({ type: 'transfer_refunded', key: one.key }))
  return [...given, { type: 'became', status: 'REFUNDED' }]
}
