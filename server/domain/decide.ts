import { apply } from './apply.ts'
import { sameAsset } from './asset.ts'
import { arrivalByBalance } from './balance.ts'
import { accept, type Command, type Decision, isOpen, type Outcome, refuse, type RefundAsked, type Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit, everReceived, funding, quoteById, refunded } from './funding.ts'
import type { Order } from './order.ts'
import { convertsAnything } from './quote.ts'
import { moveTo, react } from './react.ts'

/** What becomes of a command: the facts it makes and everything that follows from them, or a refusal with its reason. */
export const decide = (order: Order, command: Command, rules: Rules, now: number): Decision => {
  const first = answer(order, command, rules, now)
  if (!first.ok || first.facts.length === 0) return first
  const facts = [...first.facts]
  let state = facts.reduce((current, fact) => apply(current, fact, now), order)
  // Each rule removes its own cause, so a handful of rounds is the longest honest chain; more is a bug that must not spin.
  for (let round = 0; round < 50; round++) {
    const more = react(state, rules, now)
    if (more.length === 0) return accept(facts)
    facts.push(...more)
    state = more.reduce((current, fact) => apply(current, fact, now), state)
  }
  throw new Error(`order ${order.id}: reactions to ${command.type} do not come to rest`)
}

const answer = (order: Order, command: Command, rules: Rules, now: number): Decision => {
  switch (command.type) {
    case 'choose':
      return choose(order, command, rules, now)
    case 'extend':
      return extend(order, command, rules, now)
    case 'arrived':
      return arrived(order, command, now)
    case 'balance': {
      const transfer = arrivalByBalance(order, command, now)
      return transfer ? arrived(order, { type: 'arrived', transfer, head: command.head }, now) : accept([])
    }
    case 'block':
      return accept(confirmed(order, command.chainId, command.head, now))
    case 'vanished':
      return accept(vanished(order, command.keys))
    case 'tick':
      return accept(tick(order, rules, now))
    case 'settlement':
      return accept(settlement(order, command.id, command.outcome))
    case 'refund_outcome':
      return accept(refundOutcome(order, command.id, command.outcome))
    case 'refund':
      return refund(order, command.refund)
    case 'accept_early':
      return order.status === 'AWAITING_CONFIRMATION' ? accept([{ type: 'accepted_early', txHash: command.txHash }, { type: 'became', status: 'OPTIMISTIC_CONFIRMED' }]) : accept([])
    case 'authorized':
      return authorized(order, command.quoteId, now)
    case 'unauthorized':
      return accept(order.fixedQuote !== undefined && order.transfers.every((one) => one.state === 'dropped') ? [{ type: 'source_released' }] : [])
    default:
      return command satisfies never
  }
}

/** The payer signed for the whole amount of one quote, so money may be on its way before anyone sees it: nothing else is quoted meanwhile. */
const authorized = (order: Order, quoteId: number, now: number): Decision => {
  const quote = order.quotes.find((one) => one.id === quoteId)
  if (!quote || quote.expiresAt <= now || !takesAuthorization(order, now)) return notPayable(order)
  if (order.fixedQuote !== undefined && order.fixedQuote !== quoteId) return refuse('source_fixed', 'This order is being paid at another price.')
  return accept(order.fixedQuote === quoteId ? [] : [{ type: 'source_fixed', quoteId }])
}

/** One signature pays the whole, so it is for orders that nothing has been paid of. */
export const takesAuthorization = (order: Order, now: number): boolean => {
  if ((order.status !== 'PENDING' && order.status !== 'AWAITING_PAYMENT') || now >= order.expiresAt || order.terms.refundOf?.fromDeposit) return false
  const { received, seen } = funding(order)
  return received + seen === 0n
}

const notPayable = (order: Order): Decision => refuse('not_payable', `This order can no longer be paid: it is ${order.status}.`)

/** Anyone with the key may say where money goes back until money is seen; after that it takes the merchant's signature. */
const refundAddressFacts = (order: Order, address: string | undefined, signed: boolean): readonly Fact[] | undefined => {
  if (address === undefined || address === order.refundAddress) return []
  const moneySeen = order.transfers.some((one) => one.state !== 'dropped')
  return moneySeen && !signed ? undefined : [{ type: 'refund_address_set', address, signed }]
}

const choose = (order: Order, command: Extract<Command, { type: 'choose' }>, rules: Rules, now: number): Decision => {
  const address = refundAddressFacts(order, command.refundAddress, command.signed)
  if (!address) return refuse('refund_address_fixed', 'The refund address can be changed only by the merchant once a payment has been seen.')
  const setByMerchant = address.length > 0 && command.signed
  if (!isOpen(order)) return setByMerchant ? accept(address) : notPayable(order)
  if (order.fixedQuote !== undefined) {
    const fixed = quoteById(order, order.fixedQuote)
    if (!sameAsset(fixed.source, command.source)) {
      return refuse('source_fixed', `Money has arrived in ${fixed.source.symbol}: the rest must be paid in ${fixed.source.symbol} on the same network.`)
    }
    return accept(address)
  }
  const isLate = order.status === 'EXPIRED' || now >= order.expiresAt
  const good = order.quotes.find((quote) => sameAsset(quote.source, command.source) && quote.expiresAt > now && quote.slippageBps === (command.quote?.slippageBps ?? quote.slippageBps))
  const isFirst = order.instructedAt === undefined
  if (good && !isLate && !isFirst) return accept(good.id === order.activeQuote ? address : [...address, { type: 'chosen', quoteId: good.id }])
  if (!command.quote) throw new Error('a new quote is needed and none was given')
  const expiresAt = isFirst || isLate ? now + rules.paymentWindowMs : order.expiresAt
  const quote = { ...command.quote, id: order.quotes.length, expiresAt }
  const status = order.status === 'PENDING' || order.status === 'EXPIRED' ? moveTo(order.status, 'AWAITING_PAYMENT') : []
  return accept([...address, { type: 'quoted', quote, expiresAt }, ...status])
}

const extend = (order: Order, command: Extract<Command, { type: 'extend' }>, rules: Rules, now: number): Decision => {
  if (order.status !== 'AWAITING_PAYMENT') return notPayable(order)
  if (order.extensions >= rules.maxExtensions) return refuse('too_often', `The time was already extended ${order.extensions} times. Ask for a new price when it has run out.`)
  if (order.expiresAt - now > rules.extensionOpensMs) return refuse('too_early', 'There is still time. It can be extended in its last minutes.')
  const expiresAt = order.expiresAt + rules.extensionMs
  const current = quoteById(order, order.activeQuote)
  if (!convertsAnything(current)) return accept([{ type: 'extended', expiresAt }])
  if (!command.quote) throw new Error('a quote that converts is priced anew when it is extended')
  return accept([{ type: 'extended', expiresAt, quote: { ...command.quote, id: order.quotes.length, expiresAt } }])
}

const arrived = (order: Order, { transfer, head }: Extract<Command, { type: 'arrived' }>, now: number): Decision => {
  const known = order.transfers.find((one) => one.key === transfer.key)
  if (known && known.state !== 'dropped') {
    const moved: Fact[] = known.blockHash === transfer.blockHash || known.state !== 'seen' ? [] : [{ type: 'transfer_moved', key: known.key, block: transfer.block, blockHash: transfer.blockHash }]
    return accept(moved)
  }
  const seen: Fact = { type: 'transfer_seen', transfer: { ...transfer, state: 'seen', confirmations: 0 } }
  const state = apply(order, seen, now)
  return accept([seen, ...confirmed(state, transfer.asset.chainId, head, now)])
}

/** Confirmations grow with the head; a transfer is confirmed once it has its chain's number of them. */
const confirmed = (order: Order, chainId: number, head: number, now: number): readonly Fact[] => {
  const facts: Fact[] = []
  let counted = false
  const { source } = funding(order).quote
  for (const one of order.transfers) {
    if (one.state !== 'seen' || one.asset.chainId !== chainId) continue
    const confirmations = Math.min(one.needed, Math.max(0, head - one.block + 1))
    if (confirmations > one.confirmations) facts.push({ type: 'transfer_progressed', key: one.key, confirmations })
    if (confirmations >= one.needed) {
      facts.push({ type: 'transfer_confirmed', key: one.key })
      counted ||= sameAsset(one.asset, source)
    }
  }
  return counted && order.status === 'PARTIAL_PAYMENT' ? [...facts, ...stillPartial(order, facts, now)] : facts
}

/** PARTIAL_PAYMENT is announced again for every further deposit that does not complete the order. */
const stillPartial = (order: Order, facts: readonly Fact[], now: number): readonly Fact[] => {
  const { kept, enough, seen } = funding(facts.reduce((state, fact) => apply(state, fact, now), order))
  return kept + seen < enough ? [{ type: 'became', status: 'PARTIAL_PAYMENT' }] : []
}

/** The block is gone. Money that was already settled or refunded from is the settlement's business, by its own receipt. */
const vanished = (order: Order, keys: readonly string[]): readonly Fact[] =>
  order.transfers.filter((one) => keys.includes(one.key) && (one.state === 'seen' || one.state === 'confirmed' || one.state === 'held')).map((one) => ({ type: 'transfer_dropped', key: one.key }))

const tick = (order: Order, rules: Rules, now: number): readonly Fact[] => {
  const moneyInFlight = order.transfers.some((one) => one.state === 'seen')
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return now >= order.expiresAt && !moneyInFlight ? [{ type: 'became', status: 'EXPIRED' }] : []
    case 'PARTIAL_PAYMENT':
      return now >= order.expiresAt + rules.remindAfterMs && order.remindedAt === undefined ? [{ type: 'reminded' }, { type: 'became', status: 'PARTIAL_PAYMENT' }] : []
    case 'FAILED':
      return isRetryDue(order, rules, now) ? [{ type: 'became', status: 'EXECUTING_ORDER' }] : []
    default:
      return []
  }
}

const isRetryDue = (order: Order, rules: Rules, now: number): boolean => {
  if (!order.failure || order.refunds.some((one) => one.from === 'deposit' && one.state !== 'failed')) return false
  const wait = rules.retryAfterMs[Math.min(order.failure.attempts, rules.retryAfterMs.length) - 1]
  return wait !== undefined && now >= order.failure.at + wait && order.failure.attempts <= rules.retryAfterMs.length
}

/** When `tick` next has something to do for this order. */
export const nextTick = (order: Order, rules: Rules): number | undefined => {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return order.expiresAt
    case 'PARTIAL_PAYMENT':
      return order.remindedAt === undefined ? order.expiresAt + rules.remindAfterMs : undefined
    case 'FAILED': {
      const wait = order.failure && rules.retryAfterMs[order.failure.attempts - 1]
      return order.failure && wait !== undefined ? order.failure.at + wait : undefined
    }
    default:
      return undefined
  }
}

const settlement = (order: Order, id: string, outcome: Outcome): readonly Fact[] => {
  const planned = order.settlements.find((one) => one.id === id)
  if (!planned || planned.state === 'confirmed' || planned.state === 'failed') return []
  switch (outcome.state) {
    case 'broadcast':
      return [{ type: 'settlement_broadcast', id, txHash: outcome.txHash }]
    case 'mined':
      return [{ type: 'settlement_mined', id, txHash: outcome.txHash }]
    case 'unmined':
      return [{ type: 'settlement_unmined', id }]
    case 'confirmed': {
      const { txHash, paid } = outcome
      const refundLeg = planned.legs.findIndex((leg) => leg.role === 'refund')
      const refund = order.refunds.find((one) => one.from === 'settlement' && one.state === 'pending')
      const refunds: Fact[] =
        refundLeg < 0 || !refund ? [] : [paid[refundLeg] ? { type: 'refund_confirmed', id: refund.id, txHash } : { type: 'refund_failed', id: refund.id, reason: 'The address did not take the money; it is held.' }]
      const failure: Fact[] = paid[0] ? [] : failed(order, id, planned.transfers, 'The recipient could not be paid; the money is held.')
      return [{ type: 'settlement_confirmed', id, txHash, paid }, ...refunds, ...failure]
    }
    case 'failed': {
      const refund = order.refunds.find((one) => one.from === 'settlement' && one.state === 'pending')
      const refunds: Fact[] = refund ? [{ type: 'refund_failed', id: refund.id, reason: outcome.reason }] : []
      return [...refunds, ...failed(order, id, planned.transfers, outcome.reason, true)]
    }
    default:
      return outcome satisfies never
  }
}

/** When a reorg took the money first, the order has already moved on and nothing failed: it waits for the money again. */
const failed = (order: Order, id: string, keys: readonly string[], reason: string, neverSent = false): Fact[] => {
  const held = order.transfers.filter((one) => keys.includes(one.key) && one.state === 'confirmed').map((one): Fact => ({ type: 'transfer_held', key: one.key, reason: 'settlement_failed' }))
  const record: Fact[] = neverSent || order.status === 'EXECUTING_ORDER' ? [{ type: 'settlement_failed', id, reason }] : []
  return order.status === 'EXECUTING_ORDER' ? [...record, ...held, { type: 'became', status: 'FAILED' }] : record
}

const refundOutcome = (order: Order, id: string, outcome: Outcome): readonly Fact[] => {
  const planned = order.refunds.find((one) => one.id === id)
  // A refund that the merchant pays may still arrive after its order had expired.
  const isOver = planned?.state === 'confirmed' || (planned?.state === 'failed' && !(planned.from === 'order' && outcome.state === 'confirmed'))
  if (!planned || isOver) return []
  switch (outcome.state) {
    case 'broadcast':
      return [{ type: 'refund_broadcast', id, txHash: outcome.txHash }]
    case 'mined':
    case 'unmined':
      return []
    case 'confirmed': {
      if (!outcome.paid[0]) return [{ type: 'refund_failed', id, reason: 'The address did not take the money; it is held.' }]
      const given = planned.transfers.map((key): Fact => ({ type: 'transfer_refunded', key }))
      return [{ type: 'refund_confirmed', id, txHash: outcome.txHash }, ...given]
    }
    case 'failed':
      return [{ type: 'refund_failed', id, reason: outcome.reason }]
    default:
      return outcome satisfies never
  }
}

const refund = (order: Order, asked: RefundAsked): Decision => {
  const { status } = order
  if (status !== 'COMPLETED' && status !== 'PARTIAL_PAYMENT' && status !== 'FAILED' && status !== 'EXPIRED') {
    return refuse('nothing_to_refund', `An order that is ${status} cannot be refunded.`)
  }
  const left = everReceived(order, asked.asset) - refunded(order, asked.asset)
  if (asked.amount > left) return refuse('refund_too_large', 'That is more than what was received and not yet refunded.')
  if (asked.from === 'deposit' && asked.amount > atDeposit(order, asked.asset)) return refuse('refund_too_large', 'That much is no longer at the deposit address.')
  if (asked.from === 'deposit' && asked.amount <= asked.gas) return refuse('refund_too_large', 'That is less than what sending it costs.')
  // A transfer goes back whole when the refund takes all that was held of its asset; otherwise the amount alone is on the books.
  const held = order.transfers.filter((one) => one.state === 'held' && sameAsset(one.asset, asked.asset))
  const heldSum = held.reduce((total, one) => total + one.amount, 0n)
  const isStray = held.every((one) => one.reason !== 'settlement_failed') && heldSum === asked.amount && asked.from === 'deposit'
  return accept([{ type: 'refund_planned', refund: { ...asked, transfers: isStray ? held.map((one) => one.key) : [], state: 'pending' } }])
}
