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

/** The fee is at least one cent, because an estimate of zero would be wrong. */
export function networkFee(engine: Engine, source: Asset, { unit, usd }: Fiat): NetworkFee | undefined {
  const cents = engine.transferCents(source, usd)
  return cents === undefined ? undefined : { amount: Number(cents > 0n ? cents : 1n) / 100, unit, chain_id: source.chainId }
}
