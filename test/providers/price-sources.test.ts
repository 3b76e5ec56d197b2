import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bitso } from '../../server/providers/price-sources/bitso.ts'
import { coinbase } from '../../server/providers/price-sources/coinbase.ts'
import { kraken } from '../../server/providers/price-sources/kraken.ts'
import { priceService } from '../../server/providers/price-sources/price-service.ts'
import { priceSourceContract } from '../contracts/price-source.ts'
import { root } from '../support/root.ts'
import { startPublisher } from './price-publisher.ts'

const recorded = (name: string): unknown => JSON.parse(readFileSync(join(root, `test/providers/recorded/${name}.json`), 'utf8'))
const books = recorded('bitso') as Record<string, unknown>

/** Replaces every number of a recorded answer that a price could be made of. */
const zeroed = (json: unknown): unknown => JSON.parse(JSON.stringify(json).replaceAll(/"\d+(?:\.\d+)?"/g, '"0"'))

const ids = ['btc', 'eth', 'sol', 'usdc', 'usdt', 'dai', 'eur', 'gbp', 'mxn', 'unheard-of']

priceSourceContract('Kraken', async () => {
  const publisher = await startPublisher(
    () => recorded('kraken'),
    () => zeroed(recorded('kraken')),
  )
  return {
    cacheForMs: 4_000,
    create: (elapsed) => kraken({ ids, elapsed, url: publisher.url }),
    expected: { btc: '65011.5', eth: '2500.5', sol: '150.11', usdc: '0.99985', usdt: '1.00015', eur: '1.08005', gbp: '1.2701' },
    publish: publisher.publish,
    publishedAt: async () => publisher.answeredAt(),
    stop: publisher.stop,
  }
})

priceSourceContract('Coinbase', async () => {
  const publisher = await startPublisher(
    () => recorded('coinbase'),
    () => zeroed(recorded('coinbase')),
  )
  return {
    cacheForMs: 4_000,
    create: (elapsed) => coinbase({ elapsed, url: publisher.url }),
    expected: { eth: '2500', usdc: '1', cop: '0.000240949340401180651767965785193663', brl: '0.181818181818181818181818181818181818' },
    publish: publisher.publish,
    publishedAt: async () => publisher.answeredAt(),
    stop: publisher.stop,
  }
})

priceSourceContract('Bitso', async () => {
  const bookOf = (path: URL) =>
    books[path.searchParams.get('book') ?? ''] ?? { success: false, error: { code: '0301', message: 'Unknown OrderBook' } }
  const publisher = await startPublisher(bookOf, (path) => zeroed(bookOf(path)))
  return {
    cacheForMs: 60_000,
    create: (elapsed) => bitso({ elapsed, url: publisher.url }),
    expected: { brl: '0.181818181818181818181818181818181818', mxn: '0.054945054945054945054945054945054945' },
    publish: publisher.publish,
    publishedAt: async () => Date.parse('2026-11-24T10:00:00Z'),
    stop: publisher.stop,
  }
})

priceSourceContract("the operator's own service", async () => {
  const pricesOf = (path: URL, usd: string) => {
    const id = path.searchParams.get('ids') ?? ''
    const as_of = new Date().toISOString()
    return { prices: ['usdc', 'eth'].includes(id) ? { [id]: { usd, as_of } } : {} }
  }
  const publisher = await startPublisher(
    (path) => pricesOf(path, '1.0001'),
    (path) => pricesOf(path, '0'),
  )
  return {
    cacheForMs: 2_000,
    create: (elapsed) => priceService({ url: publisher.url, elapsed }),
    expected: { usdc: '1.0001', eth: '1.0001' },
    publish: publisher.publish,
    publishedAt: async () => publisher.answeredAt(),
    stop: publisher.stop,
  }
})

test('behavior: Kraken is asked once for everything, and only for what it lists', async () => {
  const publisher = await startPublisher(
    () => recorded('kraken'),
    () => undefined,
  )
  const source = kraken({ ids, elapsed: () => 0, url: publisher.url })
  await Promise.all(ids.map((id) => source.get(id)))
  expect(publisher.asked).toEqual(['/0/public/Ticker?pair=XBTUSD,ETHUSD,SOLUSD,USDCUSD,USDTUSD,DAIUSD,EURUSD,GBPUSD'])
  await publisher.stop()
})

test('behavior: bid and ask that are more than one percent apart are no price', async () => {
  const publisher = await startPublisher(
    () => recorded('kraken'),
    () => undefined,
  )
  const source = kraken({ ids, elapsed: () => 0, url: publisher.url })
  expect(await source.get('dai')).toBeUndefined()
  expect(await source.get('eth')).toBeDefined()
  await publisher.stop()
})
