import type { Price } from '../../src/wire/order.ts'
import { PriceUnavailable } from '../providers/prices.ts'
import type { Engine } from './engine.ts'
import { minimumAbove } from './minimum.ts'
import type { Destination, Terms } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import { quoteDestination } from './quoting.ts'

export interface PricedTerms {
  readonly terms: Terms
  /** There is one quote for each destination, in the same sequence. */
  readonly quotes: readonly Quote[]
}

/** No destination can take the amount. If it is below the minimum of some, the lowest of these is the problem. */
export type AmountProblem =
  | { readonly why: 'too_small' | 'too_large' }
  | { readonly why: 'below_minimum'; readonly minimum: Price; readonly symbol: string }

/** Amounts beyond this overflow nothing here, but no token has as many units. */
export const maxRaw = 2n ** 200n

type Draft = Omit<Terms, 'asset' | 'recipient' | 'feeCollector' | 'destinations'>

/**
 * Prices an order in every destination and leaves out those whose settlement would cost too much, or whose price is not known now. The first
 * of the list is the default. Throws PriceUnavailable when no destination has a price. With `anySize` an order that is too small for all of
 * them is still made.
 */
export async function priceTerms(
  engine: Engine,
  draft: Draft,
  list: readonly [Destination, ...Destination[]],
  { anySize = false } = {},
): Promise<PricedTerms | AmountProblem> {
  const [preferred] = list
  const ask = { ...draft, ...preferred, destinations: list }
  const attempts = await Promise.all(list.map((destination) => attempt(engine, ask, destination)))
  const possible = attempts.flatMap((found) => ('quote' in found ? [found] : []))
  const [first] = possible
  if (!first) throw attempts.find((found) => 'unavailable' in found)?.unavailable ?? new Error('an order has no destination')
  const judged = await Promise.all(possible.map(async (found) => ({ ...found, problem: await problemOf(engine, draft, found.quote) })))
  const worthwhile = judged.filter(({ problem }) => problem === undefined)
  const small = judged.filter(({ problem }) => problem?.why === 'below_minimum')
  const usable = worthwhile.length === 0 && anySize ? small : worthwhile
  const [chosen] = usable
  // The lowest minimum is the one that is worth least, since their units may differ.
  const [lowest] = small.toSorted((a, b) => minimumUsd(engine, a.quote) - minimumUsd(engine, b.quote))
  if (!chosen) return (lowest ?? judged[0])?.problem ?? { why: 'too_small' }
  const { asset, recipient, feeCollector } = chosen.destination
  return {
    terms: {
      ...draft,
      asset,
      recipient,
      feeCollector,
      ...(usable.length > 1 && { destinations: usable.map(({ destination }) => destination) }),
      ...(draft.fiatUnit === undefined && chosen.destination !== preferred && { unit: preferred.asset }),
    },
    quotes: usable.map(({ quote }) => quote),
  }
}

/** The value is approximate, which is enough to compare with. */
const minimumUsd = (engine: Engine, { asset, assetUsd }: Quote): number =>
  (Number(engine.minimum(asset)) / 10 ** asset.decimals) * Number(assetUsd)

type Attempt = { readonly destination: Destination; readonly quote: Quote } | { readonly unavailable: PriceUnavailable }

async function attempt(engine: Engine, ask: Terms, destination: Destination): Promise<Attempt> {
  try {
    return { destination, quote: await quoteDestination(engine, ask, destination) }
  } catch (error) {
    if (!(error instanceof PriceUnavailable)) throw error
    return { unavailable: error }
  }
}

async function problemOf(engine: Engine, draft: Draft, quote: Quote): Promise<AmountProblem | undefined> {
  const least = engine.policy.leastLeg(quote.asset, quote.recipient ?? '')
  if (quote.input.total === 0n || quote.output < least) return { why: 'too_small' }
  if (quote.input.total > maxRaw) return { why: 'too_large' }
  const minimum = await minimumAbove(engine, draft, quote)
  return minimum && { why: 'below_minimum', minimum, symbol: quote.asset.symbol }
}
