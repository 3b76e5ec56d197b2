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
    for (const answer of await Promise.allSettled(read))
      if (answer.status === 'fulfilled') for (const [id, price] of answer.value) if (!found.has(id)) found.set(id, price)
    if (read.length > 0 && found.size === 0) throw new Error('no feed answered')
    return found
  }
  return { name: 'chainlink', ...cachedTable({ load, cacheForMs: 4_000, elapsed }) }
}
