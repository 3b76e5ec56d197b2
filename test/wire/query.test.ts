import { expect, test } from 'vitest'
import { CurrencySearchQuery } from '../../src/wire/currency.ts'
import { OrderListQuery } from '../../src/wire/order.ts'
import { PageQuery, queryInteger } from '../../src/wire/pagination.ts'

test('default: absent parameters have their defaults', () => {
  expect(PageQuery.parse({})).toEqual({ limit: 20, offset: 0 })
  expect(CurrencySearchQuery.parse({})).toEqual({ limit: 20 })
})

test('behavior: both ends of each range are valid', () => {
  expect(PageQuery.parse({ limit: '1', offset: '0' })).toEqual({ limit: 1, offset: 0 })
  expect(PageQuery.parse({ limit: '100', offset: '100000' })).toEqual({ limit: 100, offset: 100_000 })
  expect(CurrencySearchQuery.parse({ limit: '50' }).limit).toBe(50)
  expect(OrderListQuery.parse({ status: 'PARTIAL_PAYMENT' })).toEqual({ limit: 20, offset: 0, status: 'PARTIAL_PAYMENT' })
})

test.each(['0', '101', '', ' ', '1.5', '1e1', '+5', '-1', '0x10', 'ten', '١', '5 ', '99999999999999999999'])(
  'error: a limit of %j is refused',
  (limit) => {
    expect(PageQuery.safeParse({ limit }).success).toBe(false)
  },
)

test('error: repeated, non-text and out-of-range parameters are refused', () => {
  for (const limit of [['1', '2'], 5, null, {}]) expect(PageQuery.safeParse({ limit }).success).toBe(false)
  expect(PageQuery.safeParse({ offset: '100001' }).success).toBe(false)
  expect(CurrencySearchQuery.safeParse({ limit: '51' }).success).toBe(false)
  expect(OrderListQuery.safeParse({ status: 'PAID' }).success).toBe(false)
  expect(queryInteger(3, 4).safeParse('2').success).toBe(false)
})

test('behavior: chain ids are comma-separated numbers', () => {
  expect(CurrencySearchQuery.parse({ chain_ids: '1,8453,20000000000001' }).chain_ids).toBe('1,8453,20000000000001')
  for (const chain_ids of ['', ',', '1,', '1, 2', 'a', '1;2', Array.from({ length: 33 }, () => '1').join()])
    expect(CurrencySearchQuery.safeParse({ chain_ids }).success, chain_ids).toBe(false)
})
