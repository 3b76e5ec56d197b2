import { subtractToZero } from '../../../src/wire/money.ts'
import { type Asset, distinctAssets, sameAsset } from './asset.ts'
import { isCharged } from './card.ts'
import { destinationsOf } from './destination.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'
import { type Quote, totalFees } from './quote.ts'

export interface Funding {
  readonly quote: Quote
  readonly required: bigint
  /** An order that keeps this much is paid. It is `required` less the merchant's tolerance, which `enoughOf` limits. */
  readonly enough: bigint
  /** This is the confirmed money that counts at the quote, including money that has been refunded since. */
  readonly received: bigint
  /** This is `received` less refunds or, if the order is COMPLETED, all of it. It is negative if money vanished that was refunded. */
  readonly kept: bigint
  readonly seen: bigint
  readonly remaining: bigint
}

const sum = (transfers: readonly Transfer[]): bigint => transfers.reduce((total, transfer) => total + transfer.amount, 0n)

export function quoteById(order: Pick<Order, 'id' | 'quotes'>, id: number): Quote {
  const found = order.quotes.find((quote) => quote.id === id)
  if (!found) throw new Error(`order ${order.id} has no quote ${id}`)
  return found
}

export const nextQuoteId = ({ quotes }: Pick<Order, 'quotes'>): number => Math.max(...quotes.map(({ id }) => id)) + 1
export const nextRefundId = ({ refunds }: Order): string => `r${refunds.length + 1}`
export const nextSettlementId = ({ settlements }: Order): string => `s${settlements.length + 1}`

/** A closing limits an order to the source of one quote and gives the reason. */
export interface Closing {
  readonly quote: Quote
  readonly because:
    /** Confirmed money covered the quote and fixed the source. */
    | 'taken'
    /** Confirmed and pending money together cover the quote, so nothing else is due. */
    | 'covered'
    /** Confirmed money in the source counts as the beginning of a payment. */
    | 'begun'
    /** A signed payment of the quote is in flight. */
    | 'claimed'
    /** A card was charged for the quote, and its provider has not delivered yet. */
    | 'charged'
}

/**
 * Each source counts its own money at its own price, and two sources are never added up. Small sums do not close an order: people send a
 * small test transfer first, and anybody could send one to lock a payer out of the currency of their choice.
 */
export function closing(order: Order): Closing | undefined {
  if (order.fixedQuote !== undefined) return { quote: quoteById(order, order.fixedQuote), because: 'taken' }
  const fundings = paidIn(order)
  const covered = fundings.find(isCoveredByConfirmed) ?? fundings.find(isCovered)
  if (covered) return { quote: covered.quote, because: 'covered' }
  // A reorganisation or a new price may leave little of a payment that has begun. Such a payment goes on in its currency.
  const begun = fundings.find(isBegun) ?? (order.status === 'PARTIAL_PAYMENT' ? fundings.find(({ received }) => received > 0n) : undefined)
  if (begun) return { quote: begun.quote, because: 'begun' }
  if (order.claimedQuote !== undefined) return { quote: quoteById(order, order.claimedQuote), because: 'claimed' }
  return order.card && isCharged(order.card) ? { quote: chargedQuote(order), because: 'charged' } : undefined
}

/** A card pays in the settlement asset, of which an order always has a quote. */
function chargedQuote(order: Order): Quote {
  const active = quoteById(order, order.activeQuote)
  if (sameAsset(active.source, order.terms.asset)) return active
  return order.quotes.findLast(({ source }) => sameAsset(source, order.terms.asset)) ?? active
}

export const coveredQuote = (order: Order): Quote | undefined => paidIn(order).find(isCoveredByConfirmed)?.quote

/** A payment in flight delays expiry. Small sums do not, and neither does a claim that has outlasted its signature (`isClaimExpired`). */
export const isBeingPaid = (order: Order, isClaimExpired: boolean): boolean =>
  (order.claimedQuote !== undefined && !isClaimExpired) ||
  paidIn(order).some(({ seen, received, required }) => seen > 0n && isBeginning(received + seen, required))

/** An order counts as unpaid while no significant sum has been received, seen or signed for. */
export const isUnpaid = (order: Order): boolean =>
  order.fixedQuote === undefined &&
  order.claimedQuote === undefined &&
  !paidIn(order).some(({ received, seen, required }) => isBeginning(received + seen, required))

/** A sum counts as the beginning of a payment from a twentieth of the required amount on. */
export const isBeginning = (amount: bigint, required: bigint): boolean => amount > 0n && amount * 20n >= required

/** Returns whether so much of the asset would count as the beginning of a payment at any price of the order. */
export const wouldBegin = ({ quotes }: Pick<Order, 'quotes'>, asset: Asset, amount: bigint): boolean =>
  quotes.some(({ source, input }) => sameAsset(source, asset) && isBeginning(amount, input.total))

const isBegun = ({ received, required }: Funding): boolean => isBeginning(received, required)
const isCovered = ({ kept, seen, enough }: Funding): boolean => kept + seen >= enough && kept + seen > 0n
const isCoveredByConfirmed = ({ kept, enough }: Funding): boolean => kept >= enough && kept > 0n

/** Returns the funding of each source in which money arrived, in order of arrival, by its first covered quote or else its newest one. */
const paidIn = (order: Order): readonly Funding[] =>
  assetsOf(order.transfers.filter(isNotDropped)).flatMap((asset) => {
    const fundings = order.quotes.filter((quote) => sameAsset(quote.source, asset)).map((quote) => fundingBy(order, quote))
    const best = fundings.find(isCoveredByConfirmed) ?? fundings.find(isCovered) ?? fundings.at(-1)
    return best ?? []
  })

/** Returns the quotes that a payer has asked for. An order is created with one for each destination, and most are never asked for. */
export const askedQuotes = ({ quotes, activeQuote, terms }: Order): readonly Quote[] =>
  quotes.filter(({ id }) => id === activeQuote || id >= destinationsOf(terms).length)

/** An order is paid at the quote that closed it to others, or else at the active quote. */
export const quoteInForce = (order: Order): Quote => closing(order)?.quote ?? quoteById(order, order.activeQuote)

const isNotDropped = (transfer: Transfer): boolean => transfer.state !== 'dropped'
const hasArrived = (transfer: Transfer): boolean => isNotDropped(transfer) && transfer.state !== 'seen'

/**
 * A price that moves counts only money that arrived while it was valid, and later money waits for a fresh price. A payer who signed in time
 * is not late because the transaction was, so a claimed quote stays valid, and so does the one that has fixed the source.
 */
export function holdsFor(order: Order, quote: Quote, transfer: Pick<Transfer, 'asset' | 'seenAt'>): boolean {
  const isKept = !quote.moves || order.fixedQuote === quote.id || order.claimedQuote === quote.id
  return sameAsset(transfer.asset, quote.source) && (isKept || quote.expiresAt > transfer.seenAt)
}

/** Money that is held as `after_settlement` is surplus and does not count toward what was due. */
const isCounted = (order: Order, transfer: Transfer, quote: Quote): boolean =>
  transfer.reason !== 'after_settlement' && holdsFor(order, quote, transfer)

/** Returns what a refund takes from the order, gas included. A refund that failed on chain may still have paid for its gas. */
function costOfRefund(refund: Refund): bigint {
  switch (refund.state) {
    case 'pending':
      return refund.amount
    case 'confirmed':
      return refund.amount - refund.gas + (refund.gasTaken ?? refund.gas)
    case 'failed':
      return refund.gasTaken ?? 0n
    default:
      return refund.state satisfies never
  }
}

const costOfRefunds = (refunds: readonly Refund[], asset: Asset): bigint =>
  refunds.filter((refund) => sameAsset(refund.asset, asset)).reduce((total, refund) => total + costOfRefund(refund), 0n)

/** Sums refunds of money that counts toward what is due. Late money does not, and the payer need not replace the gas of a failed refund. */
function refundedOfCounted(order: Order, asset: Asset): bigint {
  const isLate = (key: string) => order.transfers.some((transfer) => transfer.key === key && transfer.reason === 'after_settlement')
  const isGone = ({ from, state }: Refund) => from === 'deposit' && state !== 'failed'
  return costOfRefunds(
    order.refunds.filter((refund) => isGone(refund) && !refund.transfers.some(isLate)),
    asset,
  )
}

/** The merchant's tolerance is limited so that fees do not consume the whole payment. */
function enoughOf(order: Order, { input }: Quote): bigint {
  const tolerated = input.total - (input.total * BigInt(order.terms.toleranceBps)) / 10_000n
  const least = totalFees(input) + 1n
  return tolerated > least ? tolerated : least < input.total ? least : input.total
}

export const funding = (order: Order): Funding => fundingBy(order, quoteInForce(order))

function fundingBy(order: Order, quote: Quote): Funding {
  const { source } = quote
  const required = quote.input.total
  let [received, seen] = [0n, 0n]
  for (const transfer of order.transfers) {
    if (!isCounted(order, transfer, quote)) continue
    if (transfer.state === 'seen') seen += transfer.amount
    else if (transfer.state !== 'dropped') received += transfer.amount
  }
  // A refund after completion does not make the order due again.
  const kept = order.status === 'COMPLETED' ? received : received - refundedOfCounted(order, source)
  return {
    quote,
    required,
    enough: enoughOf(order, quote),
    received,
    kept,
    seen,
    remaining: subtractToZero(required, kept > 0n ? kept : 0n),
  }
}

/** Returns what a settlement takes from the deposit address in its token. It is negative if more was converted than paid out. */
const spentBy = ({ state, legs, paid, dust = 0n, swap, swapped }: Settlement): bigint =>
  legs.filter((_, index) => state !== 'confirmed' || paid?.[index]).reduce((total, leg) => total + leg.amount, 0n) +
  dust -
  (swap ? (swapped ?? swap.minOut) : 0n)

/**
 * Returns how much of the asset conversions yielded that settlements have not paid out. Refunds of it are not deducted. What others have moved
 * counts as money that had arrived in the asset, as far as there was any.
 */
export function conversionLeft(order: Order, asset: Asset): bigint {
  const inAsset = order.settlements.filter(({ state, token }) => state !== 'failed' && sameAsset(token, asset))
  if (!inAsset.some(({ swap }) => swap)) return 0n
  const movesArrived = ({ isForeign, swap }: Settlement) => isForeign === true && swap === undefined
  const movedByOthers = spentByAll(inAsset.filter(movesArrived))
  return -spentByAll(inAsset.filter((settlement) => !movesArrived(settlement))) - subtractToZero(movedByOthers, everReceived(order, asset))
}

const spentByAll = (settlements: readonly Settlement[]): bigint =>
  settlements.reduce((total, settlement) => total + spentBy(settlement), 0n)

/**
 * Returns the deposit address's balance by our books: everything that has arrived, less what settlements and refunds send. It is negative
 * while we know that somebody else has moved money which we have not seen arrive yet.
 */
export function atDeposit(order: Order, asset: Asset): bigint {
  const arrived = sum(order.transfers.filter((transfer) => hasArrived(transfer) && sameAsset(transfer.asset, asset)))
  // The refunded order's deposit address pays such a REFUND order, so of what its own address holds we move nothing.
  const settlements = order.settlements.filter(
    ({ state, isForeign }) => state !== 'failed' && (isForeign || !order.terms.refundOf?.fromDeposit),
  )
  const spent = settlements.reduce((total, { swap }) => (swap && sameAsset(swap.source, asset) ? total + swap.amountIn : total), 0n)
  return (
    arrived -
    spent -
    spentByAll(settlements.filter(({ token }) => sameAsset(token, asset))) -
    costOfRefunds(
      order.refunds.filter((refund) => refund.from === 'deposit'),
      asset,
    )
  )
}

/** Returns the same with the money that is seen and not final. */
export const expectedAtDeposit = (order: Order, asset: Asset): bigint =>
  atDeposit(order, asset) + sum(order.transfers.filter(({ state, asset: of }) => state === 'seen' && sameAsset(of, asset)))

/** Sums all confirmed money in the asset, including money that could not be applied, or was spent or refunded later. */
export const everReceived = (order: Order, asset: Asset): bigint =>
  sum(order.transfers.filter((transfer) => hasArrived(transfer) && sameAsset(transfer.asset, asset)))

export const receivedAssets = (order: Order): Asset[] => assetsOf(order.transfers.filter(hasArrived))

const assetsOf = (transfers: readonly Transfer[]): Asset[] => distinctAssets(transfers.map(({ asset }) => asset))

/** Sums what refunds take from the order, including pending ones unless `done` is set. */
export const refunded = (order: Order, asset: Asset, done = false): bigint =>
  costOfRefunds(
    order.refunds.filter((refund) => !done || refund.state !== 'pending'),
    asset,
  )

/** Returns what was paid beyond what was due, in the source, including the part that refunds have returned. */
export function surplus(order: Order): bigint {
  const { quote, received } = funding(order)
  const late = sum(order.transfers.filter((transfer) => transfer.reason === 'after_settlement' && sameAsset(transfer.asset, quote.source)))
  return subtractToZero(received, quote.input.total) + late
}
