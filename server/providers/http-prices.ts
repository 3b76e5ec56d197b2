import * as z from 'zod/mini'
import { isPrice, type Price, type Prices } from './prices.ts'

const Answer = z.object({
  prices: z.record(z.string(), z.object({ usd: z.string(), as_of: z.iso.datetime({ offset: true }) })),
})

const cacheForMs = 2_000
/** A stale price is served for this long during a refresh, since some prices are read inside transactions, which should not wait for it. */
const usableMs = 15_000

/** Asks GET {url}?ids=usdc → {"prices":{"usdc":{"usd":"1.0001","as_of":"2026-…Z"}}}. A price is refreshed when read after two seconds. */
export function httpPrices(url: string, clock: () => number): Prices {
  const known = new Map<string, { price: Price | undefined; askedAt: number }>()
  const asking = new Map<string, Promise<Price | undefined>>()
  const ask = async (id: string): Promise<Price | undefined> => {
    const target = new URL(url)
    target.searchParams.set('ids', id)
    const response = await fetch(target, { signal: AbortSignal.timeout(3_000), redirect: 'error' }).catch(() => undefined)
    const parsed = response?.ok ? z.safeParse(Answer, await response.json().catch(() => undefined)) : undefined
    const found = parsed?.success ? parsed.data.prices[id] : undefined
    const price = found && isPrice(found.usd) ? { usd: found.usd, asOf: Date.parse(found.as_of) } : known.get(id)?.price
    known.set(id, { price, askedAt: clock() })
    asking.delete(id)
    return price
  }
  return {
    async get(name) {
      const id = name.toLowerCase()
      const hit = known.get(id)
      const age = hit ? clock() - hit.askedAt : Infinity
      if (age > cacheForMs && !asking.has(id)) asking.set(id, ask(id))
      return hit?.price && age <= usableMs ? hit.price : asking.has(id) ? asking.get(id) : hit?.price
    },
  }
}
