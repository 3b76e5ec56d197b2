import { expect, test } from 'vitest'
import { estimatedTotal } from '../../server/fiat/cards.ts'

const asset = { chainId: 8453, address: '0x1', symbol: 'USDC', decimals: 6 }
const engine = { card: { fee: { percent: '2.9', fixed: '0.30' } } } as never
const order = (fiatUnit: string, total: bigint) =>
  ({ terms: { asset, fiatUnit }, quotes: [{ source: asset, asset, assetUsd: '1', input: { total } }] }) as never
const dollars = { unit: 'USD', usd: '1' }

test('default: the fee is added to what the card has to deliver, rounded up to the cent', () => {
  expect(estimatedTotal(engine, order('usd', 42_500_000n), dollars)).toEqual({ amount: 44.04, unit: 'USD' })
  expect(estimatedTotal(engine, order('eur', 42_500_000n), { unit: 'EUR', usd: '1.25' })).toEqual({ amount: 35.29, unit: 'EUR' })
  expect(estimatedTotal(engine, order('gbp', 42_500_000n), { unit: 'GBP', usd: '1.3' })).toEqual({ amount: 44.04, unit: 'USD' })
})

test('error: without a price of the euro there is no total in euros', () => {
  expect(estimatedTotal(engine, order('eur', 42_500_000n), dollars)).toBeUndefined()
})

test('behavior: without a fee of the provider there is no total', () => {
  expect(estimatedTotal({ card: {} } as never, order('usd', 42_500_000n), dollars)).toBeUndefined()
})
