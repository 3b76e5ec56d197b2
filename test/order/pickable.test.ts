import { expect, test } from 'vitest'
import { fiatOf } from '../../src/order/fiat.ts'
import { pickable } from '../../src/order/pickable.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

/** An order that was made when ether cost $2,000 may settle in it, and today ether costs $2,100. */
const then = { ...orders.ether, price_usd: 2000 }
const today = { ...orders.ether, price_usd: 2100, amount: orders.units('0.047619', 18) }
function settling(fiat_unit: string, fiat_unit_usd: string): OrderRead {
  const order = orders.pending()
  const settlement = { currency: then, amount: orders.units('0.05', 18), recipient: undefined, breakdown: undefined }
  return { ...order, fulfillment: { ...order.fulfillment!, fiat_unit, fiat_unit_usd }, settlements: [settlement] } as OrderRead
}
const worthOf = (order: OrderRead, listed: Parameters<typeof pickable>[1]) =>
  pickable(order, listed, undefined).map(({ raw, currency }) => raw && fiatOf(order, { raw, currency })?.decimal)

test('default: an amount of today is worth its price of today, and that of the order its price of then', () => {
  expect(worthOf(settling('usd', '1'), [today])).toEqual(['100'])
  expect(worthOf(settling('usd', '1'), [{ ...today, amount: undefined }])).toEqual(['100'])
  expect(worthOf(settling('usd', '1'), undefined)).toEqual(['100'])
})

test('behavior: an amount of today has no value in another currency, whose rate the order knows only of then', () => {
  expect(worthOf(settling('eur', '1.08'), [today])).toEqual([undefined])
  const other = { ...orders.usdt, amount: orders.units('42.50') }
  expect(worthOf({ ...settling('eur', '1.08'), settlements: undefined }, [other])[1]).toBeUndefined()
})
