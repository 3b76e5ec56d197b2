import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Token } from '../../server/chains/chain.ts'
import type { Engine } from '../../server/orders/engine.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { assetOf, mostConversionLossBps, quoteDestination, quoteIn } from '../../server/orders/quoting.ts'
import { defaultGuardPolicy } from '../../server/chains/guard-policy.ts'
import { ether, usdc } from './model/support.ts'

const dollar: Token = { ...usdc, priceId: 'usdc', peg: 'usd' }
const coin: Token = { ...ether, priceId: 'eth' }
const dollarOnEthereum: Token = { ...dollar, chainId: 1 }
const now = Date.parse('2026-05-12T14:00:00Z')
const engineAt = (prices: Record<string, string>, more: object = {}): Engine =>
  ({
    ...more,
    clock: () => now,
    plannedFee: () => 0n,
    chains: new Map([
      [8453, { id: 8453, tokens: [dollar, coin], feed: { secondsToFinal: () => 24 } }],
      [1, { id: 1, tokens: [dollarOnEthereum], feed: { secondsToFinal: () => 144 } }],
    ]),
    prices: { get: async (id: string) => (prices[id] === undefined ? undefined : { usd: prices[id], asOf: now }) },
  }) as unknown as Engine

const fees = { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' }
/** Quotes an order of 42.5 in the fiat unit, or else in the asset that its default destination has, for one of its destinations. */
function quoted(
  prices: Record<string, string>,
  { fiatUnit, inUnitsOf, paidIn }: { fiatUnit?: 'usd' | 'eur'; inUnitsOf?: Token; paidIn: Token },
) {
  const destination = { asset: assetOf(paidIn), recipient: '0x01', feeCollector: '0x02' }
  const ask = {
    ...destination,
    amount: '42.5',
    fiatUnit,
    asset: assetOf(inUnitsOf ?? paidIn),
    tradeType: 'EXACT_OUTPUT' as const,
    slippageBps: 100,
    fees,
  }
  return quoteDestination(engineAt(prices), ask, destination)
}

test('default: a token pegged to the fiat unit is priced one to one, and its price is fixed', async () => {
  const quote = await quoted({ usdc: '0.9998', usd: '1' }, { paidIn: dollar, fiatUnit: 'usd' })
  expect(quote).toMatchObject({ input: { total: 42_500_000n }, assetUsd: '1', moves: false, seconds: 48 })
})

test('behavior: outside its band of half a percent it is priced by the market, and its price moves', async () => {
  const quote = await quoted({ usdc: '0.98', usd: '1' }, { paidIn: dollar, fiatUnit: 'usd' })
  expect(quote).toMatchObject({ assetUsd: '0.98', moves: true })
  expect(quote.input.total).toBe(43_367_347n)
})

test('behavior: the band is half a percent on either side, both ends included', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 9_800, max: 10_200 }), async (tenThousandths) => {
      const usd = (tenThousandths / 10_000).toFixed(4)
      const { moves } = await quoted({ usdc: usd, usd: '1' }, { paidIn: dollar, fiatUnit: 'usd' })
      expect(moves).toBe(tenThousandths < 9_950 || tenThousandths > 10_050)
    }),
  ))

test('behavior: the price of an amount in another fiat unit, or of fiat paid in coin, moves', async () => {
  const prices = { usdc: '1', eth: '2500', usd: '1', eur: '1.08' }
  expect((await quoted(prices, { paidIn: dollar, fiatUnit: 'eur' })).moves).toBe(true)
  expect((await quoted(prices, { paidIn: coin, fiatUnit: 'usd' })).moves).toBe(true)
})

test('behavior: an amount in the paid currency itself has a fixed price, whatever the market says', async () => {
  const quote = await quoted({ eth: '2500' }, { paidIn: coin })
  expect(quote).toMatchObject({ input: { total: 42_500_000_000_000_000_000n }, moves: false })
})

test('behavior: the same money on another chain has the amount itself, and any other currency its worth, whose price moves', async () => {
  const prices = { usdc: '0.98', eth: '2500' }
  const elsewhere = await quoted(prices, { inUnitsOf: dollar, paidIn: dollarOnEthereum })
  expect(elsewhere).toMatchObject({
    source: { chainId: 1 },
    recipient: '0x01',
    feeCollector: '0x02',
    input: { total: 42_500_000n },
    moves: false,
  })
  expect(await quoted(prices, { inUnitsOf: dollar, paidIn: coin })).toMatchObject({
    input: { total: 16_660_000_000_000_000n },
    moves: true,
  })
})

test('error: an amount in units of a currency that is no longer configured has no price', async () => {
  const gone: Token = { ...coin, chainId: 10 }
  await expect(quoted({ usdc: '1', eth: '2500' }, { inUnitsOf: gone, paidIn: dollar })).rejects.toThrow('no fresh price')
})

/** Quotes an order of 42.5 USDC in the coin, whose pools ask for this much of it. */
function inCoin(
  amountIn: bigint,
  {
    slippageBps,
    mostLoss,
    tradeType = 'EXACT_OUTPUT',
  }: { slippageBps?: number; mostLoss?: number; tradeType?: 'EXACT_OUTPUT' | 'EXACT_INPUT' } = {},
) {
  const swap = { quote: async ({ amount }: { amount: bigint }) => ({ amountIn, amountOut: amount, impactBps: 0 }) }
  const engine = engineAt({ usdc: '1', eth: '2500' }, { swap, guardOf: () => ({ isMachine: true }) })
  const destination = { asset: assetOf(dollar), recipient: '0x01', feeCollector: '0x02' }
  const terms = { ...destination, amount: '42.5', fiatUnit: undefined, tradeType, slippageBps: 100, fees }
  return quoteIn(engine, { terms } as unknown as Order, coin, { slippageBps, mostLoss })
}
/** The coin for 42.50 dollars, where the pools want this much more than it is worth. */
const worth = (moreBps: bigint) => (17_000_000_000_000_000n * (10_000n + moreBps)) / 10_000n

test('behavior: a conversion of which too much is lost is not offered, since no guard would sign it', async () => {
  expect(mostConversionLossBps).toBeLessThan(defaultGuardPolicy.toleranceBps)
  expect(await inCoin(worth(200n))).toMatchObject({ input: { total: 17_516_000_000_000_000n } })
  expect(await inCoin(worth(400n))).toBe('no_route')
  // What has arrived is worth what it yields.
  expect(await inCoin(worth(400n), { mostLoss: Infinity })).toMatchObject({ moves: true })
})

test('behavior: whoever asks for a large slippage cannot make it dearer than that', async () => {
  expect(await inCoin(worth(0n), { slippageBps: 390 })).toMatchObject({ slippageBps: 390 })
  for (const tradeType of ['EXACT_OUTPUT', 'EXACT_INPUT'] as const)
    for (const slippageBps of [401, 1_000, 5_000]) expect(await inCoin(worth(0n), { slippageBps, tradeType })).toBe('no_route')
})
