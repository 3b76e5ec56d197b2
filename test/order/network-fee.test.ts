import { expect, test } from 'vitest'
import { networkFeeOf } from '../../src/order/network-fee.ts'
import * as orders from '../support/orders/orders.ts'

/** What the network asks of whoever sends, as far as the lists that the page has say it. */

const fee = (amount: number, { chain_id }: { chain_id: number }) => ({ amount, unit: 'USD', chain_id })
const method = { method: 'DEPOSIT_ADDRESS', available: true, network_fee: fee(0.17, orders.usdc) }

test('default: the list of currencies knows the fee of each, and the method that of the token that was asked for', () => {
  const found = [{ ...orders.usdt, network_fee: fee(0.42, orders.usdt) }]
  expect(networkFeeOf(orders.usdc, orders.usdt, [method], found)).toEqual(fee(0.42, orders.usdt))
  expect(networkFeeOf(orders.usdc, orders.usdc, [method], found)).toEqual(fee(0.17, orders.usdc))
})

test('behavior: no fee is shown for another token, for another network, or without a list', () => {
  const other = { ...orders.usdt, chain_id: orders.usdc.chain_id }
  expect(networkFeeOf(orders.usdc, other, [method], [])).toBeUndefined()
  expect(networkFeeOf(orders.usdc, orders.usdc, [{ ...method, network_fee: fee(0.17, orders.usdt) }], [])).toBeUndefined()
  expect(networkFeeOf(orders.usdc, orders.usdc, [{ ...method, method: 'WALLET' }], [])).toBeUndefined()
  expect(networkFeeOf(orders.usdc, orders.usdc)).toBeUndefined()
  expect(networkFeeOf(undefined, orders.usdc, [method])).toBeUndefined()
})
