import * as z from 'zod/mini'
import type { Price } from '../prices.ts'
import { cachedTable } from './cached-table.ts'
import type { PriceSource } from './price-source.ts'
import { readJson } from './read-json.ts'

const Answer = z.object({
  prices: z.record(z.string(), z.object({ usd: z.string(), as_of: z.iso.datetime({ offset: true }) })),
})

/** More currencies than the service will ever ask for. */
const mostKnown = 1_000

export interface PriceServiceParts {
  readonly url: string
  readonly elapsed: () => number
}

/** The operator's own: GET {url}?ids=usdc → {"prices":{"usdc":{"usd":"1.0001","as_of":"2026-…Z"}}} (docs/prices.md). */
export function priceService({ url, elapsed }: PriceServiceParts): PriceSource {
  const tables = new Map<string, ReturnType<typeof cachedTable>>()
  const tableOf = (id: string) => {
    const load = async (): Promise<ReadonlyMap<string, Price>> => {
      const target = new URL(url)
      target.searchParams.set('ids', id)
      const { answer } = await readJson(target.href, Answer)
      const found = Object.hasOwn(answer.prices, id) ? answer.prices[id] : undefined
      return new Map(found ? [[id, { usd: found.usd, asOf: Date.parse(found.as_of) }]] : [])
    }
    return cachedTable({ load, cacheForMs: 2_000, elapsed })
  }
  return {
    name: 'service',
    get: async (id) => {
      const table = tables.get(id) ?? tableOf(id)
      if (tables.size < mostKnown) tables.set(id, table)
      return table.get(id)
    },
    hasFailed: (id) => tables.get(id)?.hasFailed(id) ?? false,
  }
}
