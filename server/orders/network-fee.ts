import type { ChainId } from '../../src/wire/chain.ts'
import type { NetworkFee } from '../../src/wire/currency.ts'
import type { Engine } from './engine.ts'
import type { Asset } from './model/asset.ts'
import type { Order } from './model/order.ts'

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

/** Returns what so much of a chain's native coin is worth. */
export const coinFee = (engine: Pick<Engine, 'coinCents'>, chainId: ChainId, raw: bigint, { unit, usd }: Fiat): NetworkFee | undefined =>
  shown(engine.coinCents(chainId, raw, usd), unit, chainId)

/** The fee is at least one cent, because an estimate of zero would be wrong. */
const shown = (cents: bigint | undefined, unit: string, chainId: ChainId): NetworkFee | undefined =>
  cents === undefined ? undefined : { amount: Number(cents > 0n ? cents : 1n) / 100, unit, chain_id: chainId }
