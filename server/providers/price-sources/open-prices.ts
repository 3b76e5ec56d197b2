import type { Chain } from '../../chains/chain.ts'
import type { Prices, SourceAnswer } from '../prices.ts'
import { agreedPrices } from './agreed-prices.ts'
import { createPriceSources } from './create-price-sources.ts'
import type { PriceConfig } from './price-config.ts'

export interface OpenPricesParts {
  readonly config: PriceConfig
  /** Tokens have these price ids. The fiat units are always asked for. */
  readonly ids: readonly string[]
  /** The feeds of these chains count. They are read late, because chains need a guard and a guard needs prices. */
  readonly chains?: () => Iterable<Pick<Chain, 'priceFeeds'>>
  readonly log: { warn(details: object, message: string): void }
  readonly clock: () => number
}

const logEveryMs = 60_000

/** The prices of a process, by its configuration. */
export function openPrices({ config, ids, chains = () => [], log, clock }: OpenPricesParts): Prices {
  const elapsed = () => performance.now()
  const loggedAt = new Map<string, number>()
  const onProblem = (id: string, answers: readonly SourceAnswer[]) => {
    if (elapsed() - (loggedAt.get(id) ?? -Infinity) < logEveryMs) return
    loggedAt.set(id, elapsed())
    const said = answers.map(({ source, price, problem }) => ({ source, usd: price?.usd, problem }))
    log.warn({ id, answers: said }, 'no usable price: quotes in this currency are refused until the sources agree again')
  }
  return agreedPrices({
    sources: createPriceSources({ config, ids, chains, elapsed }),
    isSingle: config.isSingle,
    clock,
    elapsed,
    onProblem,
  })
}
