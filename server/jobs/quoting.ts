import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { TradeType } from '../../src/wire/quote.ts'
import type { Asset } from '../domain/asset.ts'
import { breakdownIn, type FeeTerms, price, type Quote } from '../domain/quote.ts'
import { converted, ratioOf } from '../domain/rate.ts'
import { freshPrice } from '../providers/prices.ts'
import type { Token } from '../chains/chain.ts'
import type { Engine } from './engine.ts'

export interface Ask {
  readonly amount: string
  readonly fiatUnit?: FiatCurrency
  readonly asset: Asset
  readonly tradeType: TradeType
  readonly slippageBps: number
  readonly fees: FeeTerms
}

export const tokenOf = (engine: Pick<Engine, 'chains'>, asset: Pick<Asset, 'chainId' | 'address'>): Token | undefined =>
  engine.chains.get(asset.chainId)?.tokens.find((token) => token.address === asset.address)

export const assetOf = ({ chainId, address, symbol, name, decimals }: Token): Asset => ({ chainId, address, symbol, name, decimals })

/** What an order costs now, paid in the asset it settles in. Prices must be fresh; a fixed amount of the asset still shows its worth. */
export const quoteDirect = async (engine: Engine, ask: Ask, token: Token, expiresAt: number): Promise<Quote> => {
  const now = engine.clock()
  const assetUsd = await freshPrice(engine.prices, token.priceId, 'crypto', now)
  const unitUsd = ask.fiatUnit ? await freshPrice(engine.prices, ask.fiatUnit, 'fiat', now) : assetUsd
  const priced = price({
    tradeType: ask.tradeType,
    asset: ask.asset,
    amount: converted(ratioOf(ask.amount), ratioOf(unitUsd), ratioOf(assetUsd), ask.asset.decimals),
    assetUsd,
    terms: ask.fees,
  })
  return {
    id: 0,
    source: ask.asset,
    asset: ask.asset,
    tradeType: ask.tradeType,
    slippageBps: ask.slippageBps,
    input: breakdownIn(priced, priced.total),
    output: priced.output,
    fees: priced.fees,
    sourceUsd: assetUsd,
    assetUsd,
    expiresAt,
  }
}
