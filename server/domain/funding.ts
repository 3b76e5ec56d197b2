import { subtractToZero } from '../../src/wire/money.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'
import { convertsAnything, type Quote, totalFees } from './quote.ts'

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

const sum = (transfers: readonly Transfer[]): bigint => transfers.reduce((total, one) => total + one.amount, 0n)

type Quoted = Pick<Order, 'id' | 'quotes' | 'activeQuote' | 'fixedQuote'>

export const quoteById = (order: Quoted, id: number): Quote => {
  const found = order.quotes.find((one) => one.id === id)
  if (!found) throw new Error(`order ${order.id} has no quote ${id}`)
  return found
}

export const quoteInForce = (order: Quoted): Quote => quoteById(order, order.fixedQuote ?? order.activeQuote)

/** A price that converts binds only the money that came in its time and fixed it; other money waits for a price of its own. */
export const isBinding = (order: Order): boolean => order.fixedQuote !== undefined || !convertsAnything(quoteInForce(order))

const hasArrived = (transfer: Transfer): boolean => transfer.state !== 'seen' && transfer.state !== 'dropped'

/** Money after the settlement was planned is surplus; it no longer counts toward what was due. */
const isCounted = (transfer: Transfer, source: Asset): boolean =>
  hasArrived(transfer) && sameAsset(transfer.asset, source) && transfer.reason !== 'after_settlement'

/** What a refund takes, gas and all. One that failed on chain may still have paid for its gas. */
const taken = (refund: Refund): bigint => {
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
  refunds.filter((one) => sameAsset(one.asset, asset)).reduce((total, one) => total + taken(one), 0n)

/** What went back of the money that counts; late money never counted, and what a refund that failed has cost is not the payer's to pay. */
const takenFromCounted = (order: Order, asset: Asset): bigint => {
  const isLate = (key: string) => order.transfers.some((one) => one.key === key && one.reason === 'after_settlement')
  const isGone = ({ from, state }: Refund) => (from === 'deposit' && state !== 'failed') || (from === 'settlement' && state === 'confirmed')
  return sumTaken(
    order.refunds.filter((one) => isGone(one) && !one.transfers.some(isLate)),
    asset,
  )
}

/** A merchant's tolerance never goes so far that fees eat all there is. */
const enoughOf = (order: Order, { input }: Quote): bigint => {
  const tolerated = input.total - (input.total * BigInt(order.terms.toleranceBps)) / 10_000n
  const least = totalFees(input) + 1n
  return tolerated > least ? tolerated : least < input.total ? least : input.total
}

export const funding = (order: Order): Funding => {
  const quote = quoteInForce(order)
  const { source } = quote
  const required = quote.input.total
  const binds = isBinding(order)
  const received = binds ? sum(order.transfers.filter((one) => isCounted(one, source))) : 0n
  // What goes back after the order was settled opens no new debt.
  const kept = order.status === 'COMPLETED' ? received : received - takenFromCounted(order, source)
  return {
    quote,
    required,
    enough: enoughOf(order, quote),
    received,
    kept,
    seen: binds ? sum(order.transfers.filter((one) => one.state === 'seen' && sameAsset(one.asset, source))) : 0n,
    remaining: subtractToZero(required, kept > 0n ? kept : 0n),
  }
}

/** What a settlement takes from the deposit address in its token; less than nothing while more was converted than paid out. */
const takenBy = ({ state, legs, paid, swap, swapped }: Settlement): bigint =>
  legs.filter((_, index) => state !== 'confirmed' || paid?.[index]).reduce((total, leg) => total + leg.amount, 0n) -
  (swap ? (swapped ?? swap.minOut) : 0n)

/** What was converted and not paid to anyone yet, in the asset; refunds of it aside. */
export const conversionLeft = (order: Order): bigint => {
  const mined = order.settlements.filter((one) => one.state !== 'failed')
  return mined.some((one) => one.swap) ? -mined.reduce((total, one) => total + takenBy(one), 0n) : 0n
}

/** What is at the deposit address by our books: everything that arrived and was not moved on. */
export const atDeposit = (order: Order, asset: Asset): bigint => {
  const arrived = sum(order.transfers.filter((one) => hasArrived(one) && sameAsset(one.asset, asset)))
  // An order of mode REFUND that is sent from another order's deposit address spends nothing of its own.
  const settlements = order.terms.refundOf?.fromDeposit ? [] : order.settlements.filter((one) => one.state !== 'failed')
  const spent = settlements.reduce((total, { swap }) => (swap && sameAsset(swap.source, asset) ? total + swap.amountIn : total), 0n)
  return (
    arrived -
    spent -
    settlements.filter((one) => sameAsset(one.token, asset)).reduce((total, one) => total + takenBy(one), 0n) -
    sumTaken(
      order.refunds.filter((one) => one.from === 'deposit'),
      asset,
    )
  )
}

/** Everything the payer sent in that asset, whatever became of it. */
export const everReceived = (order: Order, asset: Asset): bigint =>
  sum(order.transfers.filter((one) => hasArrived(one) && sameAsset(one.asset, asset)))

export const receivedAssets = (order: Order): Asset[] =>
  order.transfers
    .filter(hasArrived)
    .reduce<Asset[]>((all, one) => (all.some((asset) => sameAsset(asset, one.asset)) ? all : [...all, one.asset]), [])

/** What went back, or is on its way; `done`: without what is on its way. */
export const refunded = (order: Order, asset: Asset, done = false): bigint =>
  sumTaken(
    order.refunds.filter((one) => !done || one.state !== 'pending'),
    asset,
  )

/** More than was due, in the source. What became of it is said by the refunds. */
export const surplus = (order: Order): bigint => {
  const { quote, received } = funding(order)
  const late = sum(order.transfers.filter((one) => one.reason === 'after_settlement' && sameAsset(one.asset, quote.source)))
  return subtractToZero(received, quote.input.total) + late
}
