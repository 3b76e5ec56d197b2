import type { TradeType } from '../../src/wire/quote.ts'
import { type Asset, sameAsset } from './model/asset.ts'
import { destinationFor, destinationsOf } from './model/destination.ts'
import { isBound } from './model/movable.ts'
import type { Destination, Order, Terms } from './model/order.ts'
import {
  breakdownIn,
  type FeeTerms,
  lessFees,
  mostLossBps,
  price,
  type Priced,
  type Quote,
  totalFees,
  withSlippage,
} from './model/quote.ts'
import { durationSeconds } from './model/duration.ts'
import { converted, ratioOf, roundUpToFewDigits } from './model/rate.ts'
import { freshPrice, PriceUnavailable } from '../providers/prices.ts'
import type { SwapPrice } from '../chains/swap.ts'
import { chainOf, type Token } from '../chains/chain.ts'
import type { Engine } from './engine.ts'
import { isInBand } from './peg.ts'

export type QuoteTerms = Pick<
  Terms,
  'amount' | 'fiatUnit' | 'unit' | 'asset' | 'recipient' | 'feeCollector' | 'destinations' | 'tradeType' | 'slippageBps' | 'fees'
>

export const tokenOf = (engine: Pick<Engine, 'chains'>, asset: Pick<Asset, 'chainId' | 'address'>): Token | undefined =>
  engine.chains.get(asset.chainId)?.tokens.find((token) => token.address === asset.address)

export const assetOf = ({ chainId, address, symbol, name, decimals }: Token): Asset => ({ chainId, address, symbol, name, decimals })

interface AssetPrice {
  readonly priced: Priced
  readonly assetUsd: string
  readonly fiatUsd?: string
  /** The order's amount is not fixed in the asset's own unit, so its price changes with the market. */
  readonly moves: boolean
}

/** Prices an order in one of its destinations. */
async function priceInAsset(engine: Engine, ask: QuoteTerms, token: Token): Promise<AssetPrice> {
  const now = engine.clock()
  const marketUsd = await freshPrice(engine.prices, token.priceId, 'crypto', now)
  const { usd: unitUsd, isSame } = await unitOf(engine, ask, token, marketUsd)
  // While a pegged token is inside its band it counts as its unit, so an order of 42.50 USD costs 42.50 USDC before fees.
  const assetUsd = isSame ? unitUsd : marketUsd
  const priced = price({
    tradeType: ask.tradeType,
    asset: assetOf(token),
    amount: converted(ratioOf(ask.amount), ratioOf(unitUsd), ratioOf(assetUsd), token.decimals),
    assetUsd,
    terms: ask.fees,
    leastGas: engine.plannedFee(token),
  })
  return { priced, assetUsd, moves: !isSame, ...(ask.fiatUnit !== undefined && { fiatUsd: unitUsd }) }
}

interface Unit {
  /** One unit of the order's amount is worth this. */
  readonly usd: string
  /** The token is worth one unit, so the price cannot move. */
  readonly isSame: boolean
}

/** A token with the price id of the order's unit is the same money on another chain. */
async function unitOf(engine: Engine, { fiatUnit, unit, asset }: QuoteTerms, token: Token, marketUsd: string): Promise<Unit> {
  if (fiatUnit !== undefined) {
    const usd = await freshPrice(engine.prices, fiatUnit, 'fiat', engine.clock())
    return { usd, isSame: token.peg === fiatUnit && isInBand(marketUsd, usd) }
  }
  if (sameAsset(unit ?? asset, token)) return { usd: marketUsd, isSame: true }
  const priceId = tokenOf(engine, unit ?? asset)?.priceId
  // The unit's chain may have left the table of chains. Its amount is then worth nothing that anybody knows.
  if (priceId === undefined) throw new PriceUnavailable((unit ?? asset).symbol)
  if (priceId === token.priceId) return { usd: marketUsd, isSame: true }
  return { usd: await freshPrice(engine.prices, priceId, 'crypto', engine.clock()), isSame: false }
}

/** Prices an order in a destination as it is. It needs a fresh price even for a fixed amount, whose value in dollars is shown. */
async function quoteDirect(engine: Engine, ask: QuoteTerms, { asset, ...payees }: Destination, token: Token): Promise<Quote> {
  const { priced, assetUsd, moves, fiatUsd } = await priceInAsset(engine, ask, token)
  return {
    id: 0,
    source: asset,
    asset,
    ...payees,
    tradeType: ask.tradeType,
    slippageBps: ask.slippageBps,
    input: breakdownIn(priced, priced.total),
    output: priced.output,
    fees: priced.fees,
    sourceUsd: assetUsd,
    assetUsd,
    ...(fiatUsd !== undefined && { fiatUsd }),
    expiresAt: 0,
    moves,
    seconds: secondsOn(engine, asset, priced.total),
  }
}

function secondsOn({ chains }: Pick<Engine, 'chains'>, { chainId, address }: Pick<Asset, 'chainId' | 'address'>, amount: bigint): number {
  const chain = chainOf(chains.values(), chainId)
  return durationSeconds(chain.feed.secondsToFinal(address, amount))
}

const timeoutMs = 5_000
/**
 * Beyond this the payer would pay far more than it is worth, whoever asked for so much slippage. It is less than what guards tolerate by default,
 * because they know prices from elsewhere and would never sign for what was paid.
 */
export const mostConversionLossBps = 400
/** Beyond this price impact the pools are too small for the amount. */
const maxImpactBps = 1_500

/**
 * Prices an order in any token, for the destination where the token would settle. With a fixed output the payer pays enough to cover a
 * price that moves by the slippage, and with a fixed input the amount's present worth. Never call it with a transaction open, since it
 * reads the chain.
 */
export async function quoteIn(
  engine: Engine,
  { terms: given, depositTerms }: Pick<Order, 'terms' | 'depositTerms'>,
  source: Token,
  { slippageBps = given.slippageBps, mostLoss = mostConversionLossBps }: { readonly slippageBps?: number; readonly mostLoss?: number } = {},
): Promise<Quote | 'no_route'> {
  const ask: QuoteTerms = { ...given, slippageBps }
  const destination = destinationFor(destinationsOf(ask), source)
  const token = destination && tokenOf(engine, destination.asset)
  if (!token) return 'no_route'
  const { asset, ...payees } = destination
  if (sameAsset(source, asset)) return quoteDirect(engine, ask, destination, token)
  // People sign in their own time, and a conversion has to follow its payment.
  if (isBound(asset.chainId) && !engine.guardOf({ guard: depositTerms?.guard })?.isMachine) return 'no_route'
  const { priced, assetUsd, fiatUsd } = await priceInAsset(engine, ask, token)
  const terms = { ...ask, asset, source, priced, assetUsd, ...(fiatUsd !== undefined && { fiatUsd }) }
  const found = await convertedQuote(engine, terms, priced.total)
  if (found === 'no_route' || found.impactBps > maxImpactBps || mostLossBps(found.quote) > mostLoss) return 'no_route'
  return { ...found.quote, ...payees }
}

/** Quotes a destination of an order that is about to be made, whose asset is configured. */
export async function quoteDestination(engine: Engine, ask: QuoteTerms, destination: Destination): Promise<Quote> {
  const token = tokenOf(engine, destination.asset)
  if (!token) throw new Error(`chain ${destination.asset.chainId} has no token ${destination.asset.symbol}`)
  return quoteDirect(engine, ask, destination, token)
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
  return withImpact({ ...ask, priced, sourceUsd, total: amount, seconds: secondsOn(engine, asset, priced.total) }, swap)
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
  const enough = tradeType === 'EXACT_OUTPUT' ? withSlippage(swap.amountIn, slippageBps) : swap.amountIn
  const total = roundUpToFewDigits(enough, source.decimals, sourceUsd)
  return withImpact({ ...terms, sourceUsd, total, seconds: secondsOn(engine, asset, terms.priced.total) }, swap)
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
    fiatUsd,
    total,
    seconds,
  }: ConvertedTerms & { readonly sourceUsd: string; readonly total: bigint; readonly seconds: number },
  { impactBps }: SwapPrice,
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
    ...(fiatUsd !== undefined && { fiatUsd }),
    expiresAt: 0,
    moves: true,
    seconds,
  },
})
