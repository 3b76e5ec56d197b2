import type { ChainId } from '../../src/wire/chain.ts'
import type { SeenTransfer } from '../chains/feed.ts'
import { type Asset, sameAsset } from './model/asset.ts'
import { wantedConfirmations } from './model/confirmations.ts'
import type { Arrival, Replaced } from './model/commands.ts'
import type { Order } from './model/order.ts'
import { placedAt } from './model/position.ts'
import type { Quote } from './model/quote.ts'
import type { Engine } from './engine.ts'
import { assetOf, tokenOf } from './quoting.ts'
import { record } from './record.ts'
import { priceForArrival } from './pricing.ts'

/** Converts a transfer to the form that facts store, and returns undefined for an unknown token or chain, or an amount of zero. */
export function arrivalOf(engine: Engine, transfer: SeenTransfer): Arrival | undefined {
  const token = tokenOf(engine, { chainId: transfer.chainId, address: transfer.token })
  if (!token || transfer.amount === 0n) return undefined
  const now = engine.clock()
  return {
    key: transfer.key,
    asset: assetOf(token),
    txHash: transfer.txHash,
    amount: transfer.amount,
    ...placedAt(transfer.at),
    // The chain's time counts unless it is ahead of ours, so that a payer who sent in time is not late because the watcher was.
    seenAt: Math.min(now, transfer.seenAt ?? now),
    confirmations: transfer.confirmations,
    needed: transfer.needed,
  }
}

/** The size of a statement grows with its transfers, so at most this many are recorded at once. */
const recordedAtOnce = 500

/** Coins of a test network are worth nothing, so anybody could send a live order as many as they like. */
export const countsOn = (engine: Pick<Engine, 'sees'>, { isLive }: Pick<Order, 'isLive'>, chainId: ChainId): boolean =>
  !isLive || engine.sees(true, chainId)

/** Records the transfers that were found for an order, in changes of up to 500 transfers. */
export async function recordArrivals(
  engine: Engine,
  order: Order,
  found: readonly Arrival[],
  replaced: readonly Replaced[] = [],
): Promise<Order> {
  const arrivals = found.filter(({ asset }) => countsOn(engine, order, asset.chainId)).map((arrival) => withNeeded(engine, order, arrival))
  let current = order
  if (arrivals.length === 0 && replaced.length > 0) {
    const recorded = await record(engine, current, { type: 'arrived', transfers: [], replaced })
    current = recorded?.order ?? current
  }
  for (let start = 0; start < arrivals.length; start += recordedAtOnce) {
    const transfers = arrivals.slice(start, start + recordedAtOnce)
    const quotes = await pricesFor(engine, current, transfers)
    const recorded = await record(engine, current, {
      type: 'arrived',
      transfers,
      quotes,
      ...(start === 0 && replaced.length > 0 && { replaced }),
    })
    current = recorded?.order ?? current
  }
  return current
}

/** A payment in several transfers needs what it would need in one. */
function withNeeded(engine: Pick<Engine, 'chains'>, order: Order, arrival: Arrival): Arrival {
  const { asset, amount, needed } = arrival
  const asked = order.quotes.findLast(({ source }) => sameAsset(source, asset))?.input.total ?? amount
  const larger = asked > amount ? asked : amount
  const ofChain = engine.chains.get(asset.chainId)?.feed.confirmationsFor(asset.address, larger) ?? needed
  const ofMerchant = asset.address === null ? wantedConfirmations(order.terms.confirmations, asset.chainId, larger) : 0
  return { ...arrival, needed: Math.max(needed, ofChain, ofMerchant) }
}

async function pricesFor(engine: Engine, order: Order, arrivals: readonly Arrival[]): Promise<readonly Quote[]> {
  const assets: Asset[] = []
  for (const { asset } of arrivals) if (!assets.some((known) => sameAsset(known, asset))) assets.push(asset)
  const quotes: Quote[] = []
  for (const asset of assets) {
    const quote = await priceForArrival(engine, order, asset)
    if (quote) quotes.push(quote)
  }
  return quotes
}
