import { expect, test } from 'vitest'
import { newsOf } from '../../src/order/news.ts'
import * as orders from '../support/orders/orders.ts'

test('default: money that does not pay the order is announced once', () => {
  expect(newsOf(orders.awaiting(), orders.wrongChain())).toMatchObject({
    type: 'stray',
    amount: { raw: 42_500_000n, currency: { chain_id: 1 } },
  })
  expect(newsOf(orders.wrongChain(), orders.wrongChain())).toBeUndefined()
})
