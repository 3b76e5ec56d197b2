import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Token } from '../../server/chains/chain.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { assetOf, quoteDirect } from '../../server/orders/quoting.ts'
import { ether, usdc } from './model/support.ts'

const dollar: Token = { ...usdc, priceId: 'usdc', peg: 'usd' }
const coin: Token = { ...ether, priceId: 'eth' }
const now = Date.parse('2026-05-12T14:00:00Z')
const engineAt = (prices: Record<string, string>): Engine =>
  ({
    clock: () => now,
    chains: new Map([[8453, { id: 8453, confirmations: 12, blockSeconds: () => 2 }]]),
    prices: { get: async (id: string) => (prices[id] === undefined ? undefined : { usd: prices[id], asOf: now }) },
  }) as unknown as Engine

const fees = { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' }
const ask = (token: Token, fiatUnit?: 'usd' | 'eur') => ({
  amount: '42.5',
  fiatUnit,
  asset: assetOf(token),
  tradeType: 'EXACT_OUTPUT' as const,
  slippageBps: 100,
  fees,
})

test('default: a token pegged to the fiat unit is priced one to one, and its price is fixed', async () => {
  const quote = await quoteDirect(engineAt({ usdc: '0.9998', usd: '1' }), ask(dollar, 'usd'), dollar, 0)
  expect(quote).toMatchObject({ input: { total: 42_500_000n }, assetUsd: '1', moves: false, seconds: 48 })
})

test('behavior: outside its band of half a percent it is priced by the market, and its price moves', async () => {
  const quote = await quoteDirect(engineAt({ usdc: '0.98', usd: '1' }), ask(dollar, 'usd'), dollar, 0)
  expect(quote).toMatchObject({ assetUsd: '0.98', moves: true })
  expect(quote.input.total).toBe(43_367_347n)
})

test('behavior: the band is half a percent on either side, both ends included', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 9_800, max: 10_200 }), async (tenThousandths) => {
      const usd = (tenThousandths / 10_000).toFixed(4)
      const { moves } = await quoteDirect(engineAt({ usdc: usd, usd: '1' }), ask(dollar, 'usd'), dollar, 0)
      expect(moves).toBe(tenThousandths < 9_950 || tenThousandths > 10_050)
    }),
  ))

test('behavior: the price of an amount in another fiat unit, or of fiat paid in coin, moves', async () => {
  const prices = { usdc: '1', eth: '2500', usd: '1', eur: '1.08' }
  expect((await quoteDirect(engineAt(prices), ask(dollar, 'eur'), dollar, 0)).moves).toBe(true)
  expect((await quoteDirect(engineAt(prices), ask(coin, 'usd'), coin, 0)).moves).toBe(true)
})

test('behavior: an amount in the paid currency itself has a fixed price, whatever the market says', async () => {
  const quote = await quoteDirect(engineAt({ eth: '2500' }), ask(coin), coin, 0)
  expect(quote).toMatchObject({ input: { total: 42_500_000_000_000_000_000n }, moves: false })
})
