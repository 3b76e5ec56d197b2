import type { OrderStatus } from '../../src/wire/order.ts'
import { sameAsset } from './asset.ts'
import type { Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit, funding, isBinding } from './funding.ts'
import { isSettled, moveTo, type Rule } from './moving.ts'
import type { HeldReason, Order, Transfer } from './order.ts'
import { convertsAnything, type Quote } from './quote.ts'
import { closeRefunded, giveBackUnconverted, markReturned, returnSurplus } from './returning.ts'
import { finish, planSettlement, sendRest } from './settling.ts'

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

const stand: Rule = (order, _, now) => {
  if (order.terms.refundOf?.fromDeposit || order.supersededBy !== undefined) return []
  const status = standing(order, now)
  return status === order.status ? [] : moveTo(order.status, status)
}
