import { expect, test } from 'vitest'
import { fiatOf } from '../../src/wire/fiat.ts'
import { pickable } from '../../src/order/pickable.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

/** An order that was made when ether cost $2,000 and a euro $1.08 may settle in ether. Today they cost $2,100 and $1.10. */
const then = { ...orders.ether, price_usd: 2000, fiat_unit_usd: '1.08' }
const today = { ...orders.ether, price_usd: 2100, fiat_unit_usd: '1.1', amount: orders.units('0.047619', 18) }
function settling(fiat_unit: string): OrderRead {
  const order = orders.pending()
  const settlement = { currency: then, amount: orders.units('0.05', 18), recipient: undefined, breakdown: undefined }
  return { ...order, fulfillment: { ...order.fulfillment!, fiat_unit }, settlements: [settlement] } as OrderRead
}
const worthOf = (order: OrderRead, listed: Parameters<typeof pickable>[1]) =>
  pickable(order, listed, undefined).map(({ raw, currency }) => raw && fiatOf(order, { raw, currency })?.decimal)

test('default: an amount of today is worth its price of today, and that of the order its price of then', () => {
  expect(worthOf(settling('usd'), [today])).toEqual(['100'])
  expect(worthOf(settling('usd'), [{ ...today, amount: undefined }])).toEqual(['100'])
  expect(worthOf(settling('usd'), undefined)).toEqual(['100'])
})

test('behavior: in another fiat currency it is worth what both prices of one time say', () => {
  expect(worthOf(settling('eur'), [today])).toEqual(['90.91'])
  expect(worthOf(settling('eur'), undefined)).toEqual(['92.59'])
  const other = { ...orders.usdt, fiat_unit_usd: '1.1', amount: orders.units('42.50') }
  expect(worthOf({ ...settling('eur'), settlements: undefined }, [other])[1]).toBe('38.64')
  expect(worthOf({ ...settling('eur'), settlements: undefined }, [{ ...other, fiat_unit_usd: undefined }])[1]).toBeUndefined()
})
