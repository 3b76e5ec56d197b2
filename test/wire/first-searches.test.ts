import { expect, test } from 'vitest'
import { firstSearches } from '../../src/wire/first-searches.ts'
import * as orders from '../support/orders/orders.ts'

const amount = { raw: '1', ui: '1', decimals: 6 }
const settling = (...currencies: readonly (typeof orders.usdc | typeof orders.bitcoin)[]) =>
  firstSearches({ settlements: currencies.map((currency) => ({ currency, amount })) as never, fulfillment: undefined })

test('default: what the order settles in is searched for, unless a usual search finds it', () => {
  expect(settling(orders.usdc, orders.bitcoin, orders.solana as never)).toEqual(['BTC', 'SOL', 'USD', 'ETH', 'DAI'])
  expect(settling()).toEqual(['USD', 'ETH', 'DAI'])
})

test('behavior: an order that settles in many tokens does not cost many searches', () => {
  const many = ['AAA', 'BBB', 'CCC', 'DDD', 'AAA', 'X'].map((symbol) => ({ ...orders.bitcoin, symbol }))
  expect(settling(...many)).toEqual(['AAA', 'BBB', 'CCC', 'USD', 'ETH', 'DAI'])
})
