import type { OrderStatus } from '../../../src/wire/order.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Policy } from './commands.ts'
import { destinationsOf } from './destination.ts'
import type { Fact } from './facts.ts'
import { atDeposit, type Closing, closing, coveredQuote, funding, holdsFor } from './funding.ts'
import { isSettled, moveTo, type Reaction } from './status.ts'
import type { HeldReason, Order, Transfer } from './order.ts'
import { closeRefunded, returnUnconverted, markReturned, returnSurplus } from './returning.ts'
import { applyMoved } from './found.ts'
import { complete, planSettlement, runningSettlement } from './settling.ts'

/** The sequence matters: first money is applied or held, then the status follows, and only then is anything sent. */
export function react(order: Order, policy: Policy, now: number): readonly Fact[] {
  for (const reaction of [
    fixSource,
    applyOrHold,
    complete,
    applyMoved,
    updateStatus,
    planSettlement,
    returnSurplus,
    returnUnconverted,
    markReturned,
    closeRefunded,
  ]) {
    const facts = reaction(order, policy, now)
    if (facts.length > 0) return facts
  }
  return []
}

const fixSource: Reaction = (order) => {
  if (order.fixedQuote !== undefined || isSettled(order) || order.supersededBy !== undefined) return []
  const quote = coveredQuote(order)
  return quote ? [{ type: 'source_fixed', quoteId: quote.id }] : []
}

/** Confirmed money that the order cannot use now is held, with a reason for the payer and the merchant. */
const applyOrHold: Reaction = (order) => {
  const closed = closing(order)
  const balances = new Map<string, bigint>()
  /** The balance is computed once per asset, since an order may have thousands of transfers. */
  const isSpent = ({ asset, amount }: Transfer): boolean => {
    const name = `${asset.chainId} ${asset.address}`
    const balance = balances.get(name) ?? atDeposit(order, asset)
    balances.set(name, balance)
    return balance < amount
  }
  const confirmed = order.transfers.filter((transfer) => transfer.state === 'confirmed')
  const dispositions = confirmed.map((transfer) => ({ key: transfer.key, disposition: dispositionOf(order, transfer, closed, isSpent) }))
  const keysOf = (wanted: Disposition): string[] => dispositions.filter(({ disposition }) => disposition === wanted).map(({ key }) => key)
  const facts = [...new Set(dispositions.map(({ disposition }) => disposition))].flatMap((disposition): Fact[] => {
    switch (disposition) {
      case 'kept':
        return []
      case 'applied':
        return [{ type: 'transfers_applied', keys: keysOf(disposition) }]
      case 'refunded':
        return [{ type: 'transfers_refunded', keys: keysOf(disposition) }]
      default:
        return [{ type: 'transfers_held', keys: keysOf(disposition), reason: disposition }]
    }
  })
  // The status is announced again, so that the merchant learns that the same invoice was paid twice.
  const isPaidTwice = order.supersededBy !== undefined && dispositions.some(({ disposition }) => disposition === 'after_settlement')
  return isPaidTwice ? [...facts, { type: 'became', status: order.status }] : facts
}

type Disposition = HeldReason | 'kept' | 'applied' | 'refunded'

function dispositionOf(
  order: Order,
  transfer: Transfer,
  closed: Closing | undefined,
  isSpent: (transfer: Transfer) => boolean,
): Disposition {
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
    // After a reorganisation, money that a settlement has already spent may be seen again.
    return !refund && isSpent(transfer) ? 'applied' : 'after_settlement'
  }
  if (order.status === 'FAILED') return 'settlement_failed'
  // A signed or charged payment that is still in flight does not turn a small sum that has arrived into the beginning of a payment.
  const isInFlight = closed?.because === 'claimed' || closed?.because === 'charged'
  const isBegun = closed !== undefined && !isInFlight && sameAsset(asset, closed.quote.source)
  return order.status === 'EXPIRED' && !isBegun ? 'too_little' : 'kept'
}

const strayReason = ({ terms }: Order, { chainId }: Asset): HeldReason =>
  destinationsOf(terms).some(({ asset }) => asset.chainId === chainId) ? 'wrong_token' : 'wrong_chain'

/** Returns the status that the money calls for. Money changes no settled order, and a failed one only if a reorganisation removed some. */
function statusByFunding(order: Order, now: number): OrderStatus {
  // While a settlement that was final is in flight again, the payer is not asked for money.
  if (isSettled(order) || runningSettlement(order)?.reopened) return order.status
  const closed = closing(order)
  const { enough, received, kept, seen } = funding(order)
  if (order.status === 'FAILED' && received >= enough) return order.status
  if (kept >= enough && kept > 0n) return 'EXECUTING_ORDER'
  if (kept + seen >= enough && seen > 0n) return order.status === 'OPTIMISTIC_CONFIRMED' ? order.status : 'AWAITING_CONFIRMATION'
  // A payment that has begun stays PARTIAL_PAYMENT, even when a new price reduces its share.
  const isBegun = closed?.because === 'begun' || closed?.because === 'taken' || order.status === 'PARTIAL_PAYMENT'
  if (received > 0n && isBegun) return 'PARTIAL_PAYMENT'
  if (order.status === 'PENDING' || order.status === 'AWAITING_PAYMENT' || order.status === 'EXPIRED') return order.status
  return now >= order.expiresAt ? 'EXPIRED' : 'AWAITING_PAYMENT'
}

const updateStatus: Reaction = (order, _, now) => {
  if (order.terms.refundOf?.fromDeposit || order.supersededBy !== undefined) return []
  const status = statusByFunding(order, now)
  return status === order.status ? [] : moveTo(order.status, status)
}
