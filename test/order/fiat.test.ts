import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chargedTotalOf } from '../../src/order/fiat.ts'
import { fiatOf } from '../../src/wire/fiat.ts'
import { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

function priced(fiat_unit: string | undefined): OrderRead {
  const order = orders.pending()
  return { ...order, fulfillment: { ...order.fulfillment!, fiat_unit } } as OrderRead
}
const funds = (raw: bigint, price_usd: number | undefined, more?: { readonly decimals?: number; readonly fiat_unit_usd?: string }) => ({
  raw,
  currency: { ...orders.usdc, price_usd, ...more },
})

test('default: the value is in the fiat currency of the order, at the prices that its currency states', () => {
  expect(fiatOf(priced('usd'), funds(42_500_000n, 1, { fiat_unit_usd: '1' }))).toEqual({ decimal: '42.5', unit: 'USD' })
  expect(fiatOf(priced(undefined), funds(42_500_000n, 1))).toEqual({ decimal: '42.5', unit: 'USD' })
  expect(fiatOf(priced('eur'), funds(42_500_000n, 1, { fiat_unit_usd: '1.0652' }))).toEqual({ decimal: '39.9', unit: 'EUR' })
  expect(fiatOf(priced('cop'), funds(42_500_000n, 1, { fiat_unit_usd: '0.00024' }))).toEqual({ decimal: '177083.33', unit: 'COP' })
  expect(fiatOf(priced('usd'), funds(14_231_000_000_000_000n, 2983.4, { decimals: 18 }))).toEqual({ decimal: '42.46', unit: 'USD' })
})

test('behavior: with a fee it is what the payer spends in all', () => {
  const fee = (amount: number, unit = 'USD') => ({ amount, unit, chain_id: 8453 })
  expect(fiatOf(priced('usd'), funds(42_500_000n, 1), fee(0.17))).toEqual({ decimal: '42.67', unit: 'USD' })
  expect(fiatOf(priced('usd'), funds(42_500_000n, 1), fee(0.17, 'EUR'))).toBeUndefined()
  expect(fiatOf(priced('usd'), funds(42_500_000n, 1), fee(1e-9))).toBeUndefined()
})

test('error: what the order does not know is not shown', () => {
  expect(fiatOf(priced('eur'), funds(42_500_000n, 1))).toBeUndefined()
  expect(fiatOf(priced('eur'), funds(42_500_000n, 1, { fiat_unit_usd: 'many' }))).toBeUndefined()
  expect(fiatOf(priced('eur'), funds(42_500_000n, 1, { fiat_unit_usd: '0' }))).toBeUndefined()
  expect(fiatOf(priced('usd'), funds(42_500_000n, undefined))).toBeUndefined()
  expect(fiatOf(priced('usd'), funds(42_500_000n, 1e300))).toBeUndefined()
  expect(fiatOf(priced('usd'), funds(1n, 1))).toBeUndefined()
})

test('behavior: the value is never more than half a cent off, however large the amount is', () => {
  fc.assert(
    fc.property(fc.bigInt(10_000n, 10n ** 60n), fc.integer({ min: 1, max: 10 ** 9 }), (raw, thousandths) => {
      const value = fiatOf(priced('usd'), funds(raw, thousandths / 1000))
      const exact = raw * BigInt(thousandths) // in billionths of a dollar
      const [whole = '0', fraction = ''] = (value?.decimal ?? '0').split('.')
      const shown = BigInt(whole + fraction.padEnd(9, '0'))
      const distance = shown > exact ? shown - exact : exact - shown
      expect(distance <= 5_000_000n).toBe(true)
    }),
  )
})

const session = (total: string, status = 'initialized'): OrderRead =>
  orders.awaiting({
    steps: [
      {
        kind: 'stripe_onramp',
        data: { hosted_url: 'https://card.example/1', status, quote: { source_total_amount: total, source_currency: 'usd' } },
      } as never,
    ],
  })

test('behavior: what is charged is the total of a session that can still be paid', () => {
  expect(chargedTotalOf(session('44.04'))).toEqual({ decimal: '44.04', unit: 'usd' })
  expect(chargedTotalOf(session('44.04', 'expired'))).toBeUndefined()
  expect(chargedTotalOf(session('44.04', 'rejected'))).toBeUndefined()
})

test('error: a total that is no plain decimal is not shown', () => {
  for (const total of ['1,041', '', 'NaN', '-5', '1e3', '44.04 USD'])
    expect(chargedTotalOf(OrderRead.parse(session(total))), total).toBeUndefined()
})
