import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cheapestFirst, costOf } from '../../src/order/cheapest.ts'
import { pickable, type Pickable } from '../../src/order/pickable.ts'
import { usualMinutes } from '../../src/order/wait.ts'
import * as orders from '../support/orders/orders.ts'

/** Which way of several costs least. */

const order = orders.awaiting()
const fee = (amount: number, chain_id: number) => ({ amount, unit: 'USD', chain_id })
const { chain_id: base } = orders.usdc
const listed = (own: number, other: number, more: object = {}) =>
  pickable(
    order,
    [
      { ...orders.usdc, payable: true, amount: orders.units('42.50'), network_fee: fee(own, base) },
      { ...orders.usdt, payable: true, amount: orders.units('42.50'), network_fee: fee(other, orders.usdt.chain_id), ...more },
    ],
    undefined,
  )

test('property: the cheapest row is the first, and equal rows stay as they were', () => {
  const dollars = fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100)
  fc.assert(
    fc.property(dollars, dollars, (own, other) => {
      const rows = listed(own, other)
      expect(cheapestFirst(order, rows)).toEqual(own <= other ? rows : rows.toReversed())
    }),
  )
})

test('behavior: nothing is the cheapest while a cost is unknown or estimated, or alone', () => {
  expect(cheapestFirst(order, listed(0.2, 0.1, { network_fee: undefined }))).toBeUndefined()
  expect(cheapestFirst(order, listed(0.2, 0.1, { price_usd: undefined }))).toBeUndefined()
  expect(cheapestFirst(order, listed(0.2, 0.1, { amount: undefined }))).toBeUndefined()
  expect(cheapestFirst(order, listed(0.2, 0.1).slice(1))).toBeUndefined()
})

test('behavior: a cost is the amount with the fee of its own network', () => {
  const [own, other] = listed(0.2, 0.1)
  expect(costOf(order, own!)).toEqual({ decimal: '42.7', unit: 'USD' })
  expect(costOf(order, { ...other!, fee: undefined })).toBeUndefined()
})

const row = (currency: Pickable['currency'], seconds?: number) => ({ currency, seconds })

test('behavior: the list says how long the slowest of a network takes, as the service says it', () => {
  expect(usualMinutes([row(orders.usdc, 4), row(orders.usdt, 9)])).toBe(0)
  expect(usualMinutes([row(orders.usdc, 59)])).toBe(0)
  expect(usualMinutes([row(orders.usdc, 60)])).toBe(1)
  expect(usualMinutes([row(orders.usdc), row(orders.usdt, 780)])).toBe(13)
})

test('behavior: where the service has said nothing, only Bitcoin is known to take minutes', () => {
  expect(usualMinutes([row(orders.bitcoin)])).toBe(20)
  expect(usualMinutes([row(orders.bitcoin, 3_600)])).toBe(60)
  for (const currency of [orders.usdc, orders.solana, orders.sui]) expect(usualMinutes([row(currency)])).toBeUndefined()
})
