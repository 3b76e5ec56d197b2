import type { ChainTransfer } from '../chains/chain.ts'
import { type Asset, sameAsset } from './model/asset.ts'
import type { Arrival } from './model/commands.ts'
import type { Order } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import type { Engine } from './engine.ts'
import { assetOf, tokenOf } from './quoting.ts'
import { record } from './record.ts'
import { priceForArrival } from './pricing.ts'

export const transferKey = ({ chainId, txHash, logIndex }: Pick<ChainTransfer, 'chainId' | 'txHash' | 'logIndex'>): string =>
  `${chainId}:${txHash}:${logIndex}`

/** Converts a transfer to the form that facts store, and returns undefined for an unknown token or chain, or an amount of zero. */
export function arrivalOf(engine: Engine, transfer: ChainTransfer): Arrival | undefined {
  const token = tokenOf(engine, { chainId: transfer.chainId, address: transfer.token })
  const chain = engine.chains.get(transfer.chainId)
  if (!token || !chain || transfer.amount === 0n) return undefined
  return {
    key: transferKey(transfer),
    asset: assetOf(token),
    txHash: transfer.txHash,
    amount: transfer.amount,
    block: transfer.block,
    blockHash: transfer.blockHash,
    // The block's time counts unless it is ahead of ours, so that a payer who sent in time is not late because the watcher was.
    seenAt: Math.min(engine.clock(), transfer.timestamp * 1000),
    needed: chain.confirmations,
  }
}

/** The size of a statement grows with its transfers, so at most this many are recorded at once. */
const recordedAtOnce = 500

/** Records the transfers that were found for an order, in changes of up to 500 transfers. */
export async function recordArrivals(engine: Engine, order: Order, arrivals: readonly Arrival[], head: number): Promise<Order> {
  let current = order
  for (let start = 0; start < arrivals.length; start += recordedAtOnce) {
    const transfers = arrivals.slice(start, start + recordedAtOnce)
    const quotes = await pricesFor(engine, current, transfers)
    const recorded = await record(engine, current, { type: 'arrived', transfers, head, quotes })
    current = recorded?.order ?? current
  }
  return current
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
