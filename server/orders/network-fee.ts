import type { ChainId } from '../../src/wire/chain.ts'
import type { NetworkFee } from '../../src/wire/currency.ts'
import type { Engine } from './engine.ts'
import { type Asset, sameAsset } from './model/asset.ts'
import { destinationsOf } from './model/destination.ts'
import type { Order } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import { converted, ratioOf } from './model/rate.ts'

export interface Fiat {
  readonly unit: string
  /** One unit costs this many US dollars. */
  readonly usd: string
}

/** Returns the order's fiat currency, or US dollars if it has no price now, since a fee that is only shown must not fail the request. */
export async function fiatOf({ prices }: Engine, { terms: { fiatUnit = 'usd' } }: Order): Promise<Fiat> {
  const price = fiatUnit === 'usd' ? undefined : await prices.get(fiatUnit).catch(() => undefined)
  return price ? { unit: fiatUnit.toUpperCase(), usd: price.usd } : { unit: 'USD', usd: '1' }
}

export const networkFee = (engine: Pick<Engine, 'transferCents'>, source: Asset, { unit, usd }: Fiat): NetworkFee | undefined =>
  shown(engine.transferCents(source, usd), unit, source.chainId)

/** Returns about what the order costs in the cheapest of its settlement currencies. One whose cost is not known now does not count. */
export function leastTotal(
  { transferCents }: Pick<Engine, 'transferCents'>,
  { terms, quotes }: Pick<Order, 'terms' | 'quotes'>,
  { unit, usd }: Fiat,
) {
  const costs = destinationsOf(terms).flatMap(({ asset }) => {
    const quote = quotes.findLast(({ source }) => sameAsset(source, asset))
    const fee = transferCents(asset, usd)
    return quote && fee !== undefined ? [worthCents(quote, usd) + leastShown(fee)] : []
  })
  const least = costs.reduce<bigint | undefined>((least, cost) => (least === undefined || cost < least ? cost : least), undefined)
  return least === undefined ? undefined : { amount: Number(least) / 100, unit }
}

/** Rounds to the nearest cent. */
function worthCents({ input: { total }, source, sourceUsd }: Quote, unitUsd: string): bigint {
  const amount = { numerator: total, denominator: 10n ** BigInt(source.decimals) }
  const { numerator, denominator } = converted(amount, ratioOf(sourceUsd), ratioOf(unitUsd), 2)
  return (2n * numerator + denominator) / (2n * denominator)
}

/** Returns what so much of a chain's native coin is worth. */
export const coinFee = (engine: Pick<Engine, 'coinCents'>, chainId: ChainId, raw: bigint, { unit, usd }: Fiat): NetworkFee | undefined =>
  shown(engine.coinCents(chainId, raw, usd), unit, chainId)

const shown = (cents: bigint | undefined, unit: string, chainId: ChainId): NetworkFee | undefined =>
  cents === undefined ? undefined : { amount: Number(leastShown(cents)) / 100, unit, chain_id: chainId }

/** A fee is at least one cent, because an estimate of zero would be wrong. */
const leastShown = (cents: bigint): bigint => (cents > 0n ? cents : 1n)
