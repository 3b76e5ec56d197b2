import fc from 'fast-check'
import { expect, test } from 'vitest'
import { abovePrice, conversionCost } from '../../src/order/above-price.ts'
import { formatUnits } from '../../src/wire/money.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

const priced = (price: OrderRead['price']) => ({ ...orders.pending(), price }) as OrderRead
const usdc = (raw: bigint) => ({ raw, currency: orders.usdc })
const order = orders.pending() as OrderRead

test('default: the cost is what the funds are worth above the order’s price', () => {
  expect(abovePrice(order, usdc(43_060_000n))).toEqual({ decimal: '0.56', unit: 'usd' })
})

test('behavior: rounding is no cost', () => {
  for (const raw of [42_000_000n, 42_500_000n, 42_510_000n]) expect(abovePrice(order, usdc(raw)), String(raw)).toBeUndefined()
})

test('error: without a price in fiat, or a price of the token, there is none', () => {
  expect(abovePrice(priced(undefined), usdc(43_060_000n))).toBeUndefined()
  expect(abovePrice(priced({ amount: '0.01', unit: 'eth' }), usdc(43_060_000n))).toBeUndefined()
  expect(abovePrice(priced({ amount: '42.505', unit: 'usd' }), usdc(43_060_000n))).toBeUndefined()
  expect(abovePrice(order, { raw: 43_060_000n, currency: { ...orders.usdc, price_usd: undefined } })).toBeUndefined()
})

test('behavior: price and cost are together what is paid, to the cent', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 17n), fc.bigInt(2n, 10n ** 17n), (price, cost) => {
      const above = abovePrice(priced({ amount: formatUnits(price, 2), unit: 'usd' }), usdc((price + cost) * 10_000n))
      expect(above?.decimal).toBe(formatUnits(cost, 2))
    }),
  )
})

test('behavior: only a quote that converts has such a cost', () => {
  const quoted = (output: OrderRead['fulfillment']) =>
    ({
      ...orders.awaiting({ input: { amount: orders.units('43.06'), currency: orders.usdc } }),
      ...(output?.asset && {
        payment: {
          input: { amount: orders.units('43.06'), currency: orders.usdc },
          output: { amount: orders.units('42.50'), currency: output.asset },
        },
      }),
    }) as OrderRead
  expect(conversionCost(quoted({ asset: orders.usdt } as OrderRead['fulfillment']))).toEqual({ decimal: '0.56', unit: 'usd' })
  expect(conversionCost(quoted({ asset: orders.usdc } as OrderRead['fulfillment']))).toBeUndefined()
  expect(conversionCost(quoted(undefined))).toBeUndefined()
})
