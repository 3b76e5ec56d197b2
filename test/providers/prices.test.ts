import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpPrices } from '../../server/providers/http-prices.ts'
import { freshPrice, isPrice, PriceUnavailable } from '../../server/providers/prices.ts'
import { type Prices, startPrices } from '../support/service/prices.ts'

/** Which answers of a price service are accepted. */

let service: Prices
let time = 0
beforeAll(async () => {
  service = await startPrices()
})
afterAll(() => service?.close())

test.each(['0', '0.0', '000', '-1', '', '1e3', '.5', 'NaN', '1,5', '1'.repeat(31)])('error: %j is not a price', (usd) => {
  expect(isPrice(usd)).toBe(false)
})
test.each(['1', '0.0001', '2500.50', '007'])('default: %j is a price', (usd) => expect(isPrice(usd)).toBe(true))

test('behavior: a price of zero is ignored, and the previous one counts until it is too old', async () => {
  const prices = httpPrices(service.url, () => time)
  expect((await prices.get('dai'))?.usd).toBe('1')
  service.known.set('dai', { usd: '0' })
  time += 20_000
  expect((await prices.get('dai'))?.usd).toBe('1')
  const unseen = httpPrices(service.url, () => time)
  expect(await unseen.get('dai')).toBeUndefined()
})

test('error: a price from the future does not stay fresh forever', async () => {
  const now = Date.now()
  const at = (asOf: number) => freshPrice({ get: async () => ({ usd: '1', asOf }) }, 'usdc', 'crypto', now)
  expect(await at(now + 4_000)).toBe('1')
  await expect(at(now + 6_000)).rejects.toThrow(PriceUnavailable)
  await expect(at(now + 10 ** 12)).rejects.toThrow(PriceUnavailable)
  await expect(at(now - 61_000)).rejects.toThrow(PriceUnavailable)
})
