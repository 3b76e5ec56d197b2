import { subtractToZero } from '../../src/wire/money.ts'
import { type Asset, sameAsset } from './asset.ts'
import type { Order, Transfer } from './order.ts'
import type { Quote } from './quote.ts'

export interface Funding {
  readonly quote: Quote
  readonly required: bigint
  /** Less than required by the merchant's tolerance: from here on the order is paid. */
  readonly enough: bigint
  /** All confirmed money in the source, also what went back since. */
  readonly received: bigint
  /** Of that, what is still the order's. */
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

const hasArrived = (transfer: Transfer): boolean => transfer.state !== 'seen' && transfer.state !== 'dropped'

/** Money after the settlement was planned is surplus; it no longer counts toward what was due. */
const isCounted = (transfer: Transfer, source: Asset): boolean =>
  hasArrived(transfer) && sameAsset(transfer.asset, source) && transfer.reason !== 'after_settlement'

const refundedFromDeposit = (order: Order, asset: Asset): bigint =>
  order.refunds
    .filter((one) => one.from === 'deposit' && one.state !== 'failed' && one.transfers.length === 0 && sameAsset(one.asset, asset))
    .reduce((total, one) => total + one.amount, 0n)

export const funding = (order: Order): Funding => {
  const quote = quoteInForce(order)
  const { source } = quote
  const required = quote.input.total
  const received = sum(order.transfers.filter((one) => isCounted(one, source)))
  const kept = subtractToZero(received, refundedFromDeposit(order, source))
  return {
    quote,
    required,
    enough: required - (required * BigInt(order.terms.toleranceBps)) / 10_000n,
    received,
    kept,
    seen: sum(order.transfers.filter((one) => one.state === 'seen' && sameAsset(one.asset, source))),
    remaining: subtractToZero(required, kept),
  }
}

/** What is at the deposit address by our books: everything that arrived and was not moved on. */
export const atDeposit = (order: Order, asset: Asset): bigint => {
  const arrived = sum(order.transfers.filter((one) => hasArrived(one) && sameAsset(one.asset, asset)))
  const settled = order.settlements
    .filter((one) => one.state !== 'failed' && sameAsset(one.token, asset))
    .flatMap((one) => one.legs.filter((_, index) => one.paid?.[index] ?? true))
    .reduce((total, leg) => total + leg.amount, 0n)
  const refunded = order.refunds
    .filter((one) => one.from === 'deposit' && one.state !== 'failed' && sameAsset(one.asset, asset))
    .reduce((total, one) => total + one.amount, 0n)
  return arrived - settled - refunded
}

/** Everything the payer sent in that asset, whatever became of it. */
export const everReceived = (order: Order, asset: Asset): bigint => sum(order.transfers.filter((one) => hasArrived(one) && sameAsset(one.asset, asset)))

export const receivedAssets = (order: Order): Asset[] =>
  order.transfers.filter(hasArrived).reduce<Asset[]>((all, one) => (all.some((asset) => sameAsset(asset, one.asset)) ? all : [...all, one.asset]), [])

export const refunded = (order: Order, asset: Asset, state?: 'confirmed'): bigint =>
  order.refunds
    .filter((one) => (state ? one.state === state : one.state !== 'failed') && sameAsset(one.asset, asset))
    .reduce((total, one) => total + one.amount, 0n)

/** More than was due, in the source, and not yet on its way back. */
export const surplus = (order: Order): bigint => {
  const { quote, received } = funding(order)
  const late = sum(order.transfers.filter((one) => one.reason === 'after_settlement' && sameAsset(one.asset, quote.source)))
  return subtractToZero(received, quote.input.total) + late
}
