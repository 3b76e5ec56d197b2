import * as z from 'zod/mini'
import type { Price } from '../prices.ts'
import { cachedTable } from './cached-table.ts'
import { inverse, midPrice } from './decimal-price.ts'
import type { PriceSource } from './price-source.ts'
import { readJson } from './read-json.ts'

const books: Readonly<Record<string, string>> = { mxn: 'usd_mxn', brl: 'usd_brl', cop: 'usd_cop' }

const Answer = z.object({
  success: z.literal(true),
  payload: z.object({ bid: z.string(), ask: z.string(), created_at: z.iso.datetime({ offset: true }) }),
})

export interface BitsoParts {
  readonly elapsed: () => number
  readonly url?: string
}

/** Reads `GET /v3/ticker/` (https://docs.bitso.com/bitso-api/docs/ticker) for the pesos and the real, which other exchanges do not trade. */
export function bitso({ elapsed, url = 'https://api.bitso.com' }: BitsoParts): PriceSource {
  const tables = new Map(
    Object.entries(books).map(([id, book]) => {
      const load = async (): Promise<ReadonlyMap<string, Price>> => {
        const { answer } = await readJson(`${url}/v3/ticker/?book=${book}`, Answer)
        const { bid, ask, created_at } = answer.payload
        const units = midPrice(bid, ask)
        const usd = units === undefined ? undefined : inverse(units)
        return new Map(usd === undefined ? [] : [[id, { usd, asOf: Date.parse(created_at) }]])
      }
      // Bitso allows sixty requests a minute, and a fiat price is good for a day.
      return [id, cachedTable({ load, cacheForMs: 60_000, elapsed })] as const
    }),
  )
  return { name: 'bitso', get: async (id) => tables.get(id)?.get(id), hasFailed: (id) => tables.get(id)?.hasFailed(id) ?? false }
}
