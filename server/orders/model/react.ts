import type { OrderStatus } from '../../../src/wire/order.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit, type Closing, closing, coveredQuote, funding, holdsFor } from './funding.ts'
import { isSettled, moveTo, type Rule } from './moving.ts'
import type { HeldReason, Order, Transfer } from './order.ts'
import { closeRefunded, giveBackUnconverted, markReturned, returnSurplus } from './returning.ts'
import { finish, planSettlement, runningSettlement, sendRest } from './settling.ts'

/**
 * What follows from what is now known, one step at a time: which money counts, where the order stands, what to send.
 * `decide` calls it until nothing follows any more.
 */
export function react(order: Order, rules: Rules, now: number): readonly Fact[] {
  for (const rule of [
    takeOrder,
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

/** The first source whose own confirmed money covers its quote takes the order. */
const takeOrder: Rule = (order) => {
  if (order.fixedQuote !== undefined || isSettled(order) || order.supersededBy !== undefined) return []
  const quote = coveredQuote(order)
  return quote ? [{ type: 'source_fixed', quoteId: quote.id }] : []
}

/** Confirmed money that this order cannot use now is held, with the reason a payer and a merchant can read. */
const sort: Rule = (order) => {
  const closed = closing(order)
  const there = new Map<string, bigint>()
  /** Counted once for each asset: an order may have thousands of transfers. */
  const isSpent = ({ asset, amount }: Transfer): boolean => {
    const name = `${asset.chainId} ${asset.address}`
    const balance = there.get(name) ?? atDeposit(order, asset)
    there.set(name, balance)
    return balance < amount
  }
  const confirmed = order.transfers.filter((transfer) => transfer.state === 'confirmed')
  const fates = confirmed.map((transfer) => ({ key: transfer.key, fate: fateOf(order, transfer, closed, isSpent) }))
  const keysOf = (wanted: Fate): string[] => fates.filter(({ fate }) => fate === wanted).map(({ key }) => key)
  const facts = [...new Set(fates.map(({ fate }) => fate))].flatMap((fate): Fact[] => {
    switch (fate) {
      case 'kept':
        return []
      case 'applied':
        return [{ type: 'transfers_applied', keys: keysOf(fate) }]
      case 'refunded':
        return [{ type: 'transfers_refunded', keys: keysOf(fate) }]
      default:
        return [{ type: 'transfers_held', keys: keysOf(fate), reason: fate }]
    }
  })
  // The merchant is told: the same invoice was paid twice.
  const isPaidTwice = order.supersededBy !== undefined && fates.some(({ fate }) => fate === 'after_settlement')
  return isPaidTwice ? [...facts, { type: 'became', status: order.status }] : facts
}

type Fate = HeldReason | 'kept' | 'applied' | 'refunded'

function fateOf(order: Order, transfer: Transfer, closed: Closing | undefined, isSpent: (transfer: Transfer) => boolean): Fate {
  const { key, asset } = transfer
  const refund = order.refunds.find(({ state, transfers }) => state !== 'failed' && transfers.includes(key))
  if (refund?.state === 'confirmed') return 'refunded'
  const quotes = order.quotes.filter((quote) => sameAsset(quote.source, asset))
  if (closed?.because === 'taken' && !sameAsset(asset, closed.quote.source))
    return quotes.length > 0 ? 'other_source' : strayReason(order, asset)
  if (quotes.length === 0) return strayReason(order, asset)
  if (!quotes.some((quote) => holdsFor(order, quote, transfer))) return 'no_price'
  if (order.terms.refundOf?.fromDeposit || order.supersededBy !== undefined) return 'after_settlement'
  if (isSettled(order)) {
    // After a reorg money may be seen again that the settlement has already spent.
    return !refund && isSpent(transfer) ? 'applied' : 'after_settlement'
  }
  if (order.status === 'FAILED') return 'settlement_failed'
  return order.status === 'EXPIRED' && !(closed && sameAsset(asset, closed.quote.source)) ? 'too_little' : 'kept'
}

const strayReason = ({ terms }: Order, asset: Asset): HeldReason => (asset.chainId === terms.asset.chainId ? 'wrong_token' : 'wrong_chain')

/** Where the money says the order stands. Settled orders do not move by money, failed ones only when a reorg takes it. */
function standing(order: Order, now: number): OrderStatus {
  // A settlement that was final once is on its way again: nobody is asked for money until it is known how that ends.
  if (isSettled(order) || runningSettlement(order)?.reopened) return order.status
  const closed = closing(order)
  const { enough, received, kept, seen } = funding(order)
  if (order.status === 'FAILED' && received >= enough) return order.status
  if (kept >= enough && kept > 0n) return 'EXECUTING_ORDER'
  if (kept + seen >= enough && seen > 0n) return order.status === 'OPTIMISTIC_CONFIRMED' ? order.status : 'AWAITING_CONFIRMATION'
  // What has begun stays begun, also when a new price makes little of it.
  const isBegun = closed?.because === 'begun' || closed?.because === 'taken' || order.status === 'PARTIAL_PAYMENT'
  if (received > 0n && isBegun) return 'PARTIAL_PAYMENT'
  if (order.status === 'PENDING' || order.status === 'AWAITING_PAYMENT' || order.status === 'EXPIRED') return order.status
  return now >= order.expiresAt ? 'EXPIRED' : 'AWAITING_PAYMENT'
}

const stand: Rule = (order, _, now) => {
  if (order.terms.refundOf?.fromDeposit || order.supersededBy !== undefined) return []
  const status = standing(order, now)
  return status === order.status ? [] : moveTo(order.status, status)
}
