import type { Price } from '../prices.ts'
import type { PriceSource } from './price-source.ts'

export interface CachedTable {
  readonly load: () => Promise<ReadonlyMap<string, Price>>
  /** A table younger than this is not asked for again. */
  readonly cacheForMs: number
  readonly elapsed: () => number
}

/**
 * One request answers for all currencies of a source, and callers share it. Prices that a later table lacks, or that were there before a request
 * that failed, are kept: whether they are still fresh is judged by whoever uses them.
 */
export function cachedTable({ load, cacheForMs, elapsed }: CachedTable): Pick<PriceSource, 'get' | 'hasFailed'> {
  const known = new Map<string, Price>()
  let askedAt = -Infinity
  let loading: Promise<void> | undefined
  let hasFailed = false
  const refresh = async () => {
    // A source that fails is not asked more often than one that answers.
    askedAt = elapsed()
    try {
      for (const [id, price] of await load()) known.set(id, price)
      hasFailed = false
    } catch {
      // The source did not answer, or not in its documented shape.
      hasFailed = true
    } finally {
      loading = undefined
    }
  }
  return {
    get: async (id) => {
      if (!loading && elapsed() - askedAt > cacheForMs) loading = refresh()
      await loading
      return known.get(id)
    },
    hasFailed: () => hasFailed,
  }
}
