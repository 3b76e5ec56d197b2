import { subtractToZero } from '../../../src/wire/money.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'
import { type Quote, totalFees } from './quote.ts'

export interface Funding {
  readonly quote: Quote
  readonly required: bigint
  /** Less than required by the merchant's tolerance: from here on the order is paid. */
  readonly enough: bigint
  /** All confirmed money in the source, also what went back since. */
  readonly received: bigint
  /** Of that, what is still the order's: less than nothing when a reorg took money that is on its way back. */
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

/** Why an order takes money in one currency only. */
export interface Closing {
  readonly quote: Quote
  readonly because:
    /** Its confirmed money covered it. */
    | 'taken'
    /** What is confirmed and seen of it covers it: until that vanishes, more would be too much. */
    | 'covered'
    /** Confirmed money of a sum that counts as a beginning. */
    | 'begun'
    /** A signed payment of it is in flight. */
    | 'claimed'
}

/**
 * Each source counts its own money by its own price; sums of two are never added. Sight fixes nothing, and neither do small sums: people
 * send a first one to see whether it arrives, and strangers could send one to close what a payer wants to pay in.
 */
export function closing(order: Order): Closing | undefined {
  if (order.fixedQuote !== undefined) return { quote: quoteById(order, order.fixedQuote), because: 'taken' }
  const fundings = paidIn(order)
  const covered = fundings.find(isCoveredByConfirmed) ?? fundings.find(isCovered)
  if (covered) return { quote: covered.quote, because: 'covered' }
  const begun = fundings.find(isBegun)
  if (begun) return { quote: begun.quote, because: 'begun' }
  return order.claimedQuote === undefined ? undefined : { quote: quoteById(order, order.claimedQuote), because: 'claimed' }
}

/** The quote that takes the order: the first source whose own confirmed money covers it. */
export const coveredQuote = (order: Order): Quote | undefined => paidIn(order).find(isCoveredByConfirmed)?.quote

/** Money on its way that an expiry waits for. Small sums hold nothing up, nor does a signature that is long over. */
export const isBeingPaid = (order: Order, isClaimOver: boolean): boolean =>
  (order.claimedQuote !== undefined && !isClaimOver) ||
  paidIn(order).some(({ seen, received, required }) => seen > 0n && isBeginning(received + seen, required))

/** No money of any weight has been seen, and none is in flight. */
export const isUnpaid = (order: Order): boolean =>
  order.fixedQuote === undefined &&
  order.claimedQuote === undefined &&
  !paidIn(order).some(({ received, seen, required }) => isBeginning(received + seen, required))

/** A twentieth. */
const isBeginning = (amount: bigint, required: bigint): boolean => amount > 0n && amount * 20n >= required

const isBegun = ({ received, required }: Funding): boolean => isBeginning(received, required)
const isCovered = ({ kept, seen, enough }: Funding): boolean => kept + seen >= enough && kept + seen > 0n
const isCoveredByConfirmed = ({ kept, enough }: Funding): boolean => kept >= enough && kept > 0n

/** Of each source that money came in, in the order in which it came: by the first of its quotes that is covered, else by the newest. */
const paidIn = (order: Order): readonly Funding[] =>
  assetsOf(order.transfers.filter(isThere)).flatMap((asset) => {
    const fundings = order.quotes.filter((quote) => sameAsset(quote.source, asset)).map((quote) => fundingBy(order, quote))
    const best = fundings.find(isCoveredByConfirmed) ?? fundings.find(isCovered) ?? fundings.at(-1)
    return best ?? []
  })

/** What the order is asked to be paid by: what closed the others, else what was asked for last. */
export const quoteInForce = (order: Order): Quote => closing(order)?.quote ?? quoteById(order, order.activeQuote)

const isThere = (transfer: Transfer): boolean => transfer.state !== 'dropped'
const hasArrived = (transfer: Transfer): boolean => isThere(transfer) && transfer.state !== 'seen'

/**
 * A price that moves counts only the money that came while it held; later money waits for a price of its own. Who signed in time is not
 * late because the transaction was: a price that is signed for holds while the signature is in flight.
 */
export function holdsFor(order: Order, quote: Quote, transfer: Pick<Transfer, 'asset' | 'seenAt'>): boolean {
  const isKept = !quote.moves || order.fixedQuote === quote.id || order.claimedQuote === quote.id
  return sameAsset(transfer.asset, quote.source) && (isKept || quote.expiresAt > transfer.seenAt)
}

/** Money after the settlement was planned is surplus; it no longer counts toward what was due. */
const isCounted = (order: Order, transfer: Transfer, quote: Quote): boolean =>
  transfer.reason !== 'after_settlement' && holdsFor(order, quote, transfer)

/** What a refund takes, gas and all. One that failed on chain may still have paid for its gas. */
function taken(refund: Refund): bigint {
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

const sumTaken = (refunds: readonly Refund[], asset: Asset): bigint =>
  refunds.filter((refund) => sameAsset(refund.asset, asset)).reduce((total, refund) => total + taken(refund), 0n)

/** What went back of the money that counts; late money never counted, and what a refund that failed has cost is not the payer's to pay. */
function takenFromCounted(order: Order, asset: Asset): bigint {
  const isLate = (key: string) => order.transfers.some((transfer) => transfer.key === key && transfer.reason === 'after_settlement')
  const isGone = ({ from, state }: Refund) => (from === 'deposit' && state !== 'failed') || (from === 'settlement' && state === 'confirmed')
  return sumTaken(
    order.refunds.filter((refund) => isGone(refund) && !refund.transfers.some(isLate)),
    asset,
  )
}

/** A merchant's tolerance never goes so far that fees eat all there is. */
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
  // What goes back after the order was settled opens no new debt.
  const kept = order.status === 'COMPLETED' ? received : received - takenFromCounted(order, source)
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

/** What a settlement takes from the deposit address in its token; less than nothing while more was converted than paid out. */
const takenBy = ({ state, legs, paid, swap, swapped }: Settlement): bigint =>
  legs.filter((_, index) => state !== 'confirmed' || paid?.[index]).reduce((total, leg) => total + leg.amount, 0n) -
  (swap ? (swapped ?? swap.minOut) : 0n)

/** What was converted and not paid to anyone yet, in the asset; refunds of it aside. */
export function conversionLeft(order: Order): bigint {
  const mined = order.settlements.filter((settlement) => settlement.state !== 'failed')
  return mined.some((settlement) => settlement.swap) ? -mined.reduce((total, settlement) => total + takenBy(settlement), 0n) : 0n
}

/** What is at the deposit address by our books: everything that arrived and was not moved on. */
export function atDeposit(order: Order, asset: Asset): bigint {
  const arrived = sum(order.transfers.filter((transfer) => hasArrived(transfer) && sameAsset(transfer.asset, asset)))
  // An order of mode REFUND that is sent from another order's deposit address spends nothing of its own.
  const settlements = order.terms.refundOf?.fromDeposit ? [] : order.settlements.filter((settlement) => settlement.state !== 'failed')
  const spent = settlements.reduce((total, { swap }) => (swap && sameAsset(swap.source, asset) ? total + swap.amountIn : total), 0n)
  return (
    arrived -
    spent -
    settlements.filter((settlement) => sameAsset(settlement.token, asset)).reduce((total, settlement) => total + takenBy(settlement), 0n) -
    sumTaken(
      order.refunds.filter((refund) => refund.from === 'deposit'),
      asset,
    )
  )
}

/** Everything the payer sent in that asset, whatever became of it. */
export const everReceived = (order: Order, asset: Asset): bigint =>
  sum(order.transfers.filter((transfer) => hasArrived(transfer) && sameAsset(transfer.asset, asset)))

export const receivedAssets = (order: Order): Asset[] => assetsOf(order.transfers.filter(hasArrived))

function assetsOf(transfers: readonly Transfer[]): Asset[] {
  const assets: Asset[] = []
  for (const transfer of transfers) if (!assets.some((asset) => sameAsset(asset, transfer.asset))) assets.push(transfer.asset)
  return assets
}

/** What went back, or is on its way; `done`: without what is on its way. */
export const refunded = (order: Order, asset: Asset, done = false): bigint =>
  sumTaken(
    order.refunds.filter((refund) => !done || refund.state !== 'pending'),
    asset,
  )

/** More than was due, in the source. What became of it is said by the refunds. */
export function surplus(order: Order): bigint {
  const { quote, received } = funding(order)
  const late = sum(order.transfers.filter((transfer) => transfer.reason === 'after_settlement' && sameAsset(transfer.asset, quote.source)))
  return subtractToZero(received, quote.input.total) + late
}
