import { expect, test } from 'vitest'
import { hasMovingPrice } from '../../src/order/moving-price.ts'
import { newsOf } from '../../src/order/news.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

function priced(fiat_unit: string | undefined): OrderRead {
  const order = orders.pending()
  return { ...order, fulfillment: { ...order.fulfillment!, fiat_unit } } as OrderRead
}
const usdcAt = (price_usd: number, fiat_unit_usd?: string) => ({ ...orders.usdc, price_usd, fiat_unit_usd })

test('default: a price is held where the service has pegged the token to the unit of the order, and moves elsewhere', () => {
  expect(hasMovingPrice(priced('usd'), usdcAt(1, '1'))).toBe(false)
  expect(hasMovingPrice(priced('usd'), usdcAt(1))).toBe(false)
  expect(hasMovingPrice(priced('usd'), usdcAt(0.98, '1'))).toBe(true)
  expect(hasMovingPrice(priced('eur'), usdcAt(1, '1.0652'))).toBe(true)
  expect(hasMovingPrice(priced('eur'), usdcAt(1.0652, '1.0652'))).toBe(false)
  expect(hasMovingPrice(priced('eur'), usdcAt(1))).toBe(true)
  expect(hasMovingPrice(priced('usd'), orders.ether)).toBe(true)
})

test('behavior: an order in units of a token costs the same in it, and moves in another', () => {
  expect(hasMovingPrice(priced(undefined), orders.usdc)).toBe(false)
  expect(hasMovingPrice(priced(undefined), orders.ether)).toBe(true)
  expect(hasMovingPrice({ id: 'x', status: 'PENDING' } as OrderRead, orders.usdc)).toBe(true)
})

test('behavior: a new price in the same currency is news, and the price of another currency is not', () => {
  const inEther = (ui: string) => orders.awaitingIn(orders.ether, orders.depositAddress, ui)
  expect(newsOf(inEther('0.014231'), inEther('0.0145'))).toMatchObject({
    type: 'repriced',
    was: { raw: 14_231_000_000_000_000n },
    now: { raw: 14_500_000_000_000_000n },
  })
  expect(newsOf(inEther('0.014231'), inEther('0.014231'))).toBeUndefined()
  expect(newsOf(orders.awaiting(), inEther('0.0145'))).toBeUndefined()
})
