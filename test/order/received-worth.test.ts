import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fiatOf } from '../../src/order/fiat.ts'
import { receivedWorthOf } from '../../src/order/received-worth.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

const order = orders.pending() as OrderRead
const partly = (required: bigint, received: bigint, price_usd: number | undefined) => ({
  currency: { ...orders.usdc, price_usd },
  required,
  received,
  seen: 0n,
  due: required - received,
})
const cents = (decimal: string | undefined) => Math.round(Number(decimal ?? '0') * 100)

test('default: what has been received is worth as much as the whole, less what is left', () => {
  // By itself the first would be 41.23, which with 1.28 is 42.51.
  expect(receivedWorthOf(order, partly(42_500_000n, 41_225_000n, 1))).toEqual({ decimal: '41.22', unit: 'USD' })
  expect(receivedWorthOf(order, partly(42_500_000n, 42_499_999n, 1))).toEqual({ decimal: '42.5', unit: 'USD' })
})

test('behavior: what is received and what is left always add up to the whole, and are never a cent off', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100_000, max: 10 ** 11 }), fc.double({ min: 0, max: 1, noNaN: true }), (required, part) => {
      const funding = partly(BigInt(required), BigInt(Math.floor(required * part)), 1)
      const worth = (raw: bigint) => cents(fiatOf(order, { raw, currency: funding.currency })?.decimal)
      const received = cents(receivedWorthOf(order, funding)?.decimal)
      expect(received + worth(funding.due)).toBe(worth(funding.required))
      expect(Math.abs(received - worth(funding.received))).toBeLessThanOrEqual(1)
    }),
  )
})

test('error: without a price, or for less than a cent, nothing is said', () => {
  expect(receivedWorthOf(order, partly(42_500_000n, 41_225_000n, undefined))).toBeUndefined()
  expect(receivedWorthOf(order, partly(42_500_000n, 1n, 1))).toBeUndefined()
})
