import type { Chain } from '../../chains/chain.ts'
import type { Price } from '../prices.ts'
import { cachedTable } from './cached-table.ts'
import type { PriceSource } from './price-source.ts'

const timeoutMs = 3_000

export interface ChainFeedsParts {
  /** Prices are needed before the chains are there. */
  readonly chains: () => Iterable<Pick<Chain, 'priceFeeds'>>
  readonly elapsed: () => number
}

/** Chainlink's feeds on the configured chains. Where several have a feed, the first chain that answers counts. */
export function chainFeeds({ chains, elapsed }: ChainFeedsParts): PriceSource {
  const load = async () => {
    const read = [...chains()].flatMap(({ priceFeeds }) => (priceFeeds ? [priceFeeds(AbortSignal.timeout(timeoutMs))] : []))
    const found = new Map<string, Price>()
    const answers = await Promise.allSettled(read)
    for (const answer of answers)
      if (answer.status === 'fulfilled') for (const [id, price] of answer.value) if (!found.has(id)) found.set(id, price)
    const failure = answers.find(({ status }) => status === 'rejected')
    if (failure && found.size === 0) throw new Error('no chain answered')
    return found
  }
  return { name: 'chainlink', ...cachedTable({ load, cacheForMs: 4_000, elapsed }) }
}
