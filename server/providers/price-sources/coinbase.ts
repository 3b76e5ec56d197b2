import * as z from 'zod/mini'
import { cachedTable } from './cached-table.ts'
import { inverse } from './decimal-price.ts'
import type { PriceSource } from './price-source.ts'
import { readJson } from './read-json.ts'

const Answer = z.object({ data: z.object({ currency: z.literal('USD'), rates: z.record(z.string(), z.string()) }) })

export interface CoinbaseParts {
  readonly elapsed: () => number
  readonly url?: string
}

/**
 * Reads `GET /v2/exchange-rates` (https://docs.cdp.coinbase.com/coinbase-app/track-apis/exchange-rates), which says how many units a dollar buys,
 * of coins and of fiat alike.
 */
export function coinbase({ elapsed, url = 'https://api.coinbase.com' }: CoinbaseParts): PriceSource {
  const load = async () => {
    const { answer, answeredAt } = await readJson(`${url}/v2/exchange-rates?currency=USD`, Answer)
    const prices = Object.entries(answer.data.rates).flatMap(([symbol, rate]) => {
      const usd = inverse(rate)
      return usd === undefined ? [] : [[symbol.toLowerCase(), { usd, asOf: answeredAt }] as const]
    })
    return new Map(prices)
  }
  return { name: 'coinbase', ...cachedTable({ load, cacheForMs: 4_000, elapsed }) }
}
