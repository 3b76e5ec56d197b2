import type { OrderStatus } from '../../src/wire/order.ts'
import { subtractToZero } from '../../src/wire/money.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit, conversionLeft, funding, isBinding, receivedAssets, refunded, everReceived } from './funding.ts'
import type { Conversion, HeldReason, Order, PlannedLeg, Settlement, Transfer } from './order.ts'
import { convertsAnything, leastOutput, type Quote, totalFees } from './quote.ts'

/**
 * What follows from what is now known, one step at a time: which money counts, where the order stands, what to send.
 * `decide` calls it until nothing follows any more.
 */
export const react = (order: Order, rules: Rules, now: number): readonly Fact[] => {
  for (const rule of [
    fixSource,
    sort,
    finish,
    stand,
    planSettlement,
    sendRest,
    returnSurplus,
    giveBackUnconverted,
    markReturned,
    closeRefunded,
  ]) {
    const facts = rule(order, rules, now)
    if (facts.length > 0) return facts
  }
  return []
}

type Rule = (order: Order, rules: Rules, now: number) => readonly Fact[]

const isPresent = (transfer: Transfer): boolean => transfer.state === 'seen' || transfer.state === 'confirmed'

/** Held only because nobody had asked for that currency yet. */
const isStray = (transfer: Transfer): boolean =>
  transfer.state === 'held' && (transfer.reason === 'wrong_token' || transfer.reason === 'wrong_chain')

/**
 * Money in any quoted currency decides the source at first sight: the active quote first, else the newest of that currency. A price
 * that converts binds until it ends; money that came later waits, held, for the next one.
 */
const fixSource: Rule = (order) => {
  if (order.fixedQuote !== undefined) return []
  for (const transfer of order.transfers.filter((one) => isPresent(one) || isStray(one))) {
    const isGood = (quote: Quote) => !convertsAnything(quote) || quote.expiresAt > transfer.seenAt
    const quotes = order.quotes.filter((quote) => sameAsset(quote.source, transfer.asset) && isGood(quote))
    const quote = quotes.find((one) => one.id === order.activeQuote) ?? quotes.at(-1)
    if (quote) return [{ type: 'source_fixed', quoteId: quote.id }]
  }
  return []
}

const isSettled = (order: Order): boolean => order.status === 'COMPLETED' || order.status === 'REFUNDED'

/** Confirmed money that this order cannot use now is held, with the reason a payer and a merchant can read. */
const sort: Rule = (order) => order.transfers.filter((one) => one.state === 'confirmed').flatMap((one) => sorted(order, one))

const sorted = (order: Order, { key, asset, amount }: Transfer): readonly Fact[] => {
  const held = (reason: HeldReason): Fact[] => [{ type: 'transfer_held', key, reason }]
  const { source } = funding(order).quote
  const refund = order.refunds.find((one) => one.state !== 'failed' && one.transfers.includes(key))
  if (refund?.state === 'confirmed') return [{ type: 'transfer_refunded', key }]
  if (!sameAsset(asset, source) || !isBinding(order)) return held(asset.chainId === source.chainId ? 'wrong_token' : 'wrong_chain')
  if (order.terms.refundOf?.fromDeposit) return held('after_settlement')
  // The merchant is told: the same invoice was paid twice.
  if (order.supersededBy !== undefined) return [...held('after_settlement'), { type: 'became', status: order.status }]
  if (isSettled(order)) {
    // After a reorg money may be seen again that the settlement has already spent.
    const isSpent = !refund && atDeposit(order, asset) < amount
    return isSpent ? [{ type: 'transfer_applied', key }] : held('after_settlement')
  }
  return order.status === 'FAILED' ? held('settlement_failed') : []
}

export const runningSettlement = (order: Order): Settlement | undefined =>
  order.settlements.find((one) => one.state === 'planned' || one.state === 'broadcast' || one.state === 'mined')

/** Where the money says the order stands. Settled orders do not move by money, failed ones only when a reorg takes it. */
const standing = (order: Order, now: number): OrderStatus => {
  if (isSettled(order)) return order.status
  const { enough, received, kept, seen } = funding(order)
  if (order.status === 'FAILED' && received >= enough) return order.status
  if (kept >= enough && kept > 0n) return 'EXECUTING_ORDER'
  if (kept + seen >= enough && seen > 0n) return order.status === 'OPTIMISTIC_CONFIRMED' ? order.status : 'AWAITING_CONFIRMATION'
  if (received > 0n) return 'PARTIAL_PAYMENT'
  if (order.status === 'PENDING') return seen > 0n ? 'AWAITING_PAYMENT' : 'PENDING'
  if (order.status === 'AWAITING_PAYMENT' || order.status === 'EXPIRED') return order.status
  return now >= order.expiresAt ? 'EXPIRED' : 'AWAITING_PAYMENT'
}

/** Statuses that lie between, so that the log never shows a step that the contract does not know. */
const between = (from: OrderStatus, to: OrderStatus): readonly OrderStatus[] => {
  if (to === 'EXECUTING_ORDER' && (from === 'PENDING' || from === 'AWAITING_PAYMENT' || from === 'PARTIAL_PAYMENT' || from === 'EXPIRED'))
    return ['AWAITING_CONFIRMATION']
  if (to === 'PARTIAL_PAYMENT' && from === 'PENDING') return ['AWAITING_PAYMENT']
  return []
}

export const moveTo = (from: OrderStatus, to: OrderStatus): readonly Fact[] =>
  [...between(from, to), to].map((status) => ({ type: 'became', status }))

const stand: Rule = (order, _, now) => {
  if (order.terms.refundOf?.fromDeposit || order.supersededBy !== undefined) return []
  const status = standing(order, now)
  return status === order.status ? [] : moveTo(order.status, status)
}

const legsPaid = (order: Order, role: PlannedLeg['role']): bigint =>
  order.settlements
    .flatMap((one) => one.legs.filter((leg, index) => leg.role === role && one.paid?.[index]))
    .reduce((total, leg) => total + leg.amount, 0n)

export const recipientIsPaid = (order: Order): boolean => order.settlements.some((one) => one.state === 'confirmed' && one.paid?.[0])

/** One settlement at a time: a second is planned only when the first has provably not paid the recipient, and fees are paid once. */
const planSettlement: Rule = (order, rules) => {
  if (order.status !== 'EXECUTING_ORDER' || runningSettlement(order) || recipientIsPaid(order) || order.terms.refundOf?.fromDeposit)
    return []
  const { quote } = funding(order)
  if (convertsAnything(quote)) return planConversion(order, quote)
  const available = atDeposit(order, quote.source)
  const owed = totalFees(quote.fees) - legsPaid(order, 'fees')
  // A refund that failed may have cost its gas: the merchant bears that, and still gets something before fees do.
  const fees = owed < available ? owed : subtractToZero(available, 1n)
  const due = quote.output + owed
  const over = available > due ? available - due : 0n
  const legs: PlannedLeg[] = [{ role: 'recipient', to: order.terms.recipient, amount: (available < due ? available : due) - fees }]
  if (fees > 0n) legs.push({ role: 'fees', to: order.terms.feeCollector, amount: fees })
  const facts: Fact[] = []
  if (order.refundAddress && over > rules.legGas) {
    if (rules.legGas > 0n) legs.push({ role: 'gas', to: order.terms.feeCollector, amount: rules.legGas })
    legs.push({ role: 'refund', to: order.refundAddress, amount: over - rules.legGas })
    facts.push({
      type: 'refund_planned',
      refund: {
        id: `r${order.refunds.length + 1}`,
        asset: quote.source,
        amount: over,
        gas: rules.legGas,
        address: order.refundAddress,
        reason: 'overpaid',
        from: 'settlement',
        transfers: [],
        state: 'pending',
      },
    })
  }
  const spent = order.transfers.filter((one) => (one.state === 'confirmed' || one.state === 'held') && sameAsset(one.asset, quote.source))
  return [
    ...facts,
    {
      type: 'settlement_planned',
      id: `s${order.settlements.length + 1}`,
      token: quote.asset,
      legs,
      transfers: spent.map((one) => one.key),
    },
  ]
}

/**
 * All that is due in the source is converted, and must give what the recipient and the fees are owed, or nothing happens at all. What
 * came beyond the due stays as it came. A conversion that went through while the recipient's leg did not is not made twice.
 */
const planConversion = (order: Order, quote: Quote): readonly Fact[] => {
  const fees = totalFees(quote.fees) - legsPaid(order, 'fees')
  const due = leastOutput(quote) + fees
  const spent = order.transfers.filter((one) => (one.state === 'confirmed' || one.state === 'held') && sameAsset(one.asset, quote.source))
  const id = `s${order.settlements.length + 1}`
  const plan = (out: bigint, swap?: Conversion): readonly Fact[] => {
    const owed = fees < out ? fees : 0n
    const legs: PlannedLeg[] = [{ role: 'recipient', to: order.terms.recipient, amount: out - owed }]
    if (owed > 0n) legs.push({ role: 'fees', to: order.terms.feeCollector, amount: owed })
    return [{ type: 'settlement_planned', id, token: quote.asset, ...(swap && { swap }), legs, transfers: spent.map((one) => one.key) }]
  }
  const left = conversionLeft(order)
  if (left > 0n) return plan(left < due ? left : due)
  const available = atDeposit(order, quote.source)
  const amountIn = available < quote.input.total ? available : quote.input.total
  // Within the merchant's tolerance less may have come: then less comes out.
  const minOut = (due * amountIn) / quote.input.total
  return plan(minOut, { source: quote.source, amountIn, minOut, route: quote.route ?? [] })
}

/**
 * The conversion gave more than was owed, once: where the recipient's amount is fixed it pays for the settlement's gas, where the input
 * is fixed it is the recipient's. Less than sending it costs stays where it is.
 */
const sendRest: Rule = (order, rules) => {
  if (order.status !== 'COMPLETED' || runningSettlement(order) || order.settlements.some((one) => one.isRest)) return []
  const { quote } = funding(order)
  const rest = conversionLeft(order)
  if (!convertsAnything(quote) || rest <= 0n) return []
  const worth = (rest * quote.input.total) / (quote.output + totalFees(quote.fees))
  if (worth <= rules.refundGas) return []
  const leg: PlannedLeg =
    quote.tradeType === 'EXACT_INPUT'
      ? { role: 'recipient', to: order.terms.recipient, amount: rest }
      : { role: 'gas', to: order.terms.feeCollector, amount: rest }
  return [
    { type: 'settlement_planned', id: `s${order.settlements.length + 1}`, token: quote.asset, isRest: true, legs: [leg], transfers: [] },
  ]
}

/** The recipient was paid: what was spent is applied, and the order is done. */
const finish: Rule = (order) => {
  const paid = order.settlements.find((one) => one.state === 'confirmed' && one.paid?.[0])
  if (!paid || isSettled(order)) return []
  const applied = paid.transfers
    .filter((key) => order.transfers.some((one) => one.key === key && (one.state === 'confirmed' || one.state === 'held')))
    .map((key): Fact => ({ type: 'transfer_applied', key }))
  const path = order.status === 'EXECUTING_ORDER' ? [] : moveTo(order.status, 'EXECUTING_ORDER')
  return [...applied, ...path, { type: 'became', status: 'COMPLETED' }]
}

/** What is left at the deposit address after settling goes back where the payer said, once, less what sending it costs. */
const returnSurplus: Rule = (order, rules) => {
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
        reason: 'overpaid',
        from: 'deposit',
        transfers: late.map((one) => one.key),
        state: 'pending',
      },
    },
  ]
}

/** What could not be converted within its slippage, several times, goes back where the payer said; the price may never return. */
const giveBackUnconverted: Rule = (order, rules) => {
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
        reason: 'price_moved',
        from: 'deposit',
        transfers: [],
        state: 'pending',
      },
    },
  ]
}

/** Several refunds together may have given back what was held: once nothing is left of a currency, none of it is held. */
const markReturned: Rule = (order) =>
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
const closeRefunded: Rule = (order) => {
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
