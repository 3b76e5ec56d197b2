import * as z from 'zod/mini'
import type { Price } from '../prices.ts'
import { cachedTable } from './cached-table.ts'
import { midPrice } from './decimal-price.ts'
import type { PriceSource } from './price-source.ts'
import { readJson } from './read-json.ts'

const pairs: Readonly<Record<string, string>> = {
  btc: 'XBTUSD',
  eth: 'ETHUSD',
  sol: 'SOLUSD',
  bnb: 'BNBUSD',
  pol: 'POLUSD',
  usdc: 'USDCUSD',
  usdt: 'USDTUSD',
  dai: 'DAIUSD',
  usdg: 'USDGUSD',
  eur: 'EURUSD',
  gbp: 'GBPUSD',
}
/** Kraken names some pairs of its answer in an older way: XXBTZUSD, XETHZUSD, USDTZUSD, ZEURZUSD. */
function answerNames(pair: string): readonly string[] {
  const [base, quote] = [pair.slice(0, -3), pair.slice(-3)]
  return [pair, `X${base}Z${quote}`, `Z${base}Z${quote}`, `${base}Z${quote}`]
}

const Offer = z.tuple([z.string()], z.unknown())
/** A pair that Kraken does not list makes the whole answer an error. */
const Answer = z.object({
  error: z.array(z.string()).check(z.maxLength(0)),
  result: z.record(z.string(), z.object({ a: Offer, b: Offer })),
})

export interface KrakenParts {
  /** Only these are asked for. */
  readonly ids: readonly string[]
  readonly elapsed: () => number
  readonly url?: string
}

/** Reads `GET /0/public/Ticker` (https://docs.kraken.com/api/docs/rest-api/get-ticker-information). */
export function kraken({ ids, elapsed, url = 'https://api.kraken.com' }: KrakenParts): PriceSource {
  const asked = ids.flatMap((id) => (pairs[id] === undefined ? [] : [{ id, pair: pairs[id] }]))
  const load = async (): Promise<ReadonlyMap<string, Price>> => {
    if (asked.length === 0) return new Map()
    const { answer, answeredAt } = await readJson(`${url}/0/public/Ticker?pair=${asked.map(({ pair }) => pair).join(',')}`, Answer)
    const found = new Map<string, Price>()
    for (const { id, pair } of asked) {
      const offers = answerNames(pair).flatMap((name) => (Object.hasOwn(answer.result, name) ? (answer.result[name] ?? []) : []))[0]
      const usd = offers && midPrice(offers.b[0], offers.a[0])
      if (usd !== undefined) found.set(id, { usd, asOf: answeredAt })
    }
    return found
  }
  return { name: 'kraken', ...cachedTable({ load, cacheForMs: 4_000, elapsed }) }
}
