import { expect, test } from 'vitest'
import { freshPrice, isPrice, PriceUnavailable } from '../../server/providers/prices.ts'

/** Which prices may be used for a quote. */

test.each(['0', '0.0', '000', '-1', '', '1e3', '.5', 'NaN', '1,5', '1'.repeat(31)])('error: %j is not a price', (usd) => {
  expect(isPrice(usd)).toBe(false)
})
test.each(['1', '0.0001', '2500.50', '007'])('default: %j is a price', (usd) => expect(isPrice(usd)).toBe(true))

test('error: a price from the future does not stay fresh forever', async () => {
  const now = Date.now()
  const at = (asOf: number) => freshPrice({ get: async () => ({ usd: '1', asOf }) }, 'usdc', 'crypto', now)
  expect(await at(now + 4_000)).toBe('1')
  await expect(at(now + 6_000)).rejects.toThrow(PriceUnavailable)
  await expect(at(now + 10 ** 12)).rejects.toThrow(PriceUnavailable)
  await expect(at(now - 61_000)).rejects.toThrow(PriceUnavailable)
})
