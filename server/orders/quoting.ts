import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { TradeType } from '../../src/wire/quote.ts'
import { type Asset, sameAsset } from './model/asset.ts'
import { breakdownIn, type FeeTerms, lessFees, price, type Priced, type Quote, totalFees, withSlippage } from './model/quote.ts'
import { durationSeconds } from './model/duration.ts'
import { converted, ratioOf, roundUpToPlaces } from './model/rate.ts'
import { freshPrice } from '../providers/prices.ts'
import type { SwapPrice } from '../providers/swap.ts'
import { chainOf, type Token } from '../chains/chain.ts'
import type { Engine } from './engine.ts'

export interface QuoteTerms {
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

interface AssetPrice {
  readonly priced: Priced
  readonly assetUsd: string
  /** The order's amount is not fixed in the asset's own unit, so its price changes with the market. */
  readonly moves: boolean
}

async function priceInAsset(engine: Engine, ask: QuoteTerms, token: Token): Promise<AssetPrice> {
  const now = engine.clock()
  const marketUsd = await freshPrice(engine.prices, token.priceId, 'crypto', now)
  const unitUsd = ask.fiatUnit ? await freshPrice(engine.prices, ask.fiatUnit, 'fiat', now) : marketUsd
  const isSame = ask.fiatUnit === undefined || (token.peg === ask.fiatUnit && isInBand(marketUsd, unitUsd))
  // While a pegged token is inside its band it counts as its unit, so an order of 42.50 USD costs 42.50 USDC before fees.
  const assetUsd = isSame ? unitUsd : marketUsd
  const priced = price({
    tradeType: ask.tradeType,
    asset: ask.asset,
    amount: converted(ratioOf(ask.amount), ratioOf(unitUsd), ratioOf(assetUsd), ask.asset.decimals),
    assetUsd,
    terms: ask.fees,
  })
  return { priced, assetUsd, moves: !isSame }
}

/** A peg holds while the market price is within half a percent of the unit it is pegged to. */
function isInBand(marketUsd: string, unitUsd: string): boolean {
  const [market, unit] = [ratioOf(marketUsd), ratioOf(unitUsd)]
  const [price, parity] = [market.numerator * unit.denominator, unit.numerator * market.denominator]
  const distance = price > parity ? price - parity : parity - price
  return distance * 200n <= parity
}

/** Prices an order in its settlement asset. It needs a fresh price even for a fixed amount, whose value in dollars is shown. */
export async function quoteDirect(engine: Engine, ask: QuoteTerms, token: Token, expiresAt: number): Promise<Quote> {
  const { priced, assetUsd, moves } = await priceInAsset(engine, ask, token)
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
    moves,
    seconds: secondsOn(engine, ask.asset),
  }
}

function secondsOn({ chains }: Pick<Engine, 'chains'>, { chainId }: Pick<Asset, 'chainId'>): number {
  const chain = chainOf(chains.values(), chainId)
  return durationSeconds({ confirmations: chain.confirmations, blockSeconds: chain.blockSeconds() })
}

const timeoutMs = 5_000
/** Beyond this price impact the pools are too small for the amount, and the payer would pay far more than it is worth. */
const maxImpactBps = 1_500

/**
 * With a fixed output the payer pays enough to cover a price that moves by the slippage, and with a fixed input the amount's present worth.
 * Never call it with a transaction open, since it reads the chain.
 */
export async function quoteIn(engine: Engine, ask: QuoteTerms, source: Token): Promise<Quote | 'no_route'> {
  const token = tokenOf(engine, ask.asset)
  if (!token) return 'no_route'
  if (sameAsset(source, ask.asset)) return quoteDirect(engine, ask, token, 0)
  if (source.chainId !== ask.asset.chainId) return 'no_route'
  const { priced, assetUsd } = await priceInAsset(engine, ask, token)
  const terms = { ...ask, source, priced, assetUsd }
  const found = await convertedQuote(engine, terms, priced.total)
  return found === 'no_route' || found.impactBps > maxImpactBps ? 'no_route' : found.quote
}

export interface SwapTerms {
  readonly from: Token
  readonly to: Token
  readonly amount: bigint
  readonly tradeType: TradeType
  readonly slippageBps: number
  readonly fees: FeeTerms
}

/** Prices any pair of tokens without an order, with the fees that an order would have. */
export async function quoteSwap(
  engine: Engine,
  { from, to, amount, tradeType, slippageBps, fees: terms }: SwapTerms,
): Promise<QuoteWithImpact | 'no_route'> {
  const now = engine.clock()
  const asset = assetOf(to)
  const assetUsd = await freshPrice(engine.prices, to.priceId, 'crypto', now)
  const ask = { asset, tradeType, slippageBps, source: from, assetUsd }
  if (tradeType === 'EXACT_OUTPUT') {
    const { fees } = price({ tradeType, asset, amount: { numerator: amount, denominator: 1n }, assetUsd, terms })
    const total = amount + totalFees(fees)
    return convertedQuote(engine, { ...ask, priced: { output: amount, fees, total } }, total)
  }
  const sourceUsd = await freshPrice(engine.prices, from.priceId, 'crypto', now)
  const swap = await engine.swap.quote({ from, to, amount, tradeType, signal: AbortSignal.timeout(timeoutMs) })
  if (swap === 'no_route') return swap
  const priced = lessFees(swap.amountOut, { asset, assetUsd, terms })
  return withImpact({ ...ask, priced, sourceUsd, total: amount, seconds: secondsOn(engine, asset) }, swap)
}

interface QuoteWithImpact {
  readonly quote: Quote
  readonly impactBps: number
}

interface ConvertedTerms extends Pick<QuoteTerms, 'asset' | 'tradeType' | 'slippageBps'>, Omit<AssetPrice, 'moves'> {
  readonly source: Token
}

async function convertedQuote(engine: Engine, terms: ConvertedTerms, out: bigint): Promise<QuoteWithImpact | 'no_route'> {
  const { source, asset, tradeType, slippageBps } = terms
  const sourceUsd = await freshPrice(engine.prices, source.priceId, 'crypto', engine.clock())
  const signal = AbortSignal.timeout(timeoutMs)
  const swap = await engine.swap.quote({ from: source, to: asset, amount: out, tradeType: 'EXACT_OUTPUT', signal })
  if (swap === 'no_route') return swap
  const total =
    tradeType === 'EXACT_OUTPUT'
      ? withSlippage(swap.amountIn, slippageBps, source.decimals)
      : roundUpToPlaces(swap.amountIn, source.decimals)
  return withImpact({ ...terms, sourceUsd, total, seconds: secondsOn(engine, asset) }, swap)
}

const withImpact = (
  {
    source,
    asset,
    tradeType,
    slippageBps,
    priced,
    sourceUsd,
    assetUsd,
    total,
    seconds,
  }: ConvertedTerms & { readonly sourceUsd: string; readonly total: bigint; readonly seconds: number },
  { route, impactBps }: SwapPrice,
): QuoteWithImpact => ({
  impactBps,
  quote: {
    id: 0,
    source: assetOf(source),
    asset,
    tradeType,
    slippageBps,
    input: breakdownIn(priced, total),
    output: priced.output,
    fees: priced.fees,
    sourceUsd,
    assetUsd,
    expiresAt: 0,
    route,
    moves: true,
    seconds,
  },
})
