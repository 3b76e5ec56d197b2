import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isExpectedOrder } from '../../../src/wire/terms/expected-order.ts'
import { evmAddress, termedOrder } from '../../support/orders/termed-order.ts'

/** What a page that embeds the checkout says to an order, by the recipients that it expects. */

const bitcoinRecipient = 'bc1qrecipient'
const listOf = ({ recipients }: { recipients: readonly string[] }) => [...recipients, bitcoinRecipient].join(', ')

test('default: an order that pays only expected recipients is expected, in any spelling of an EVM address', () => {
  fc.assert(
    fc.property(termedOrder, (valid) => {
      expect(isExpectedOrder(valid.order, valid.factory, listOf(valid))).toBe(true)
      expect(
        isExpectedOrder(
          valid.order,
          valid.factory,
          listOf(valid).replace(/[a-f]/, (letter) => letter.toUpperCase()),
        ),
      ).toBe(true)
    }),
  )
})

test('property: without any of its recipients, or with another factory, it is not', () => {
  fc.assert(
    fc.property(termedOrder, evmAddress, fc.nat(), (valid, other, at) => {
      const recipients = [...new Set(valid.recipients)]
      const without = recipients.filter((_, place) => place !== at % recipients.length)
      expect(isExpectedOrder(valid.order, valid.factory, [...without, other, bitcoinRecipient].join())).toBe(false)
      expect(isExpectedOrder(valid.order, other, listOf(valid))).toBe(false)
      expect(isExpectedOrder(valid.order, undefined, listOf(valid))).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('error: nothing is expected by an empty list', () => {
  const [valid] = fc.sample(termedOrder, { seed: 3, numRuns: 1 })
  for (const expected of ['', ' , ', 'undefined']) expect(isExpectedOrder(valid!.order, valid!.factory, expected)).toBe(false)
})

test('behavior: on a chain that is not EVM, the recipient that the order names has to be expected', () => {
  const asset = { chain_id: 20000000000001, address: '', decimals: 8, symbol: 'BTC' }
  const order = (recipient: string | undefined) => ({ id: 'ord_1', status: 'PENDING', fulfillment: { asset, recipient } })
  expect(isExpectedOrder(order('bc1qours'), undefined, 'bc1qours')).toBe(true)
  expect(isExpectedOrder(order('bc1qtheirs'), undefined, 'bc1qours')).toBe(false)
  expect(isExpectedOrder(order(undefined), undefined, 'bc1qours')).toBe(false)
  for (const list of ['', ' ', ',', 'bc1qours,', ',bc1qours', 'bc1qours, ,bc1qours'])
    for (const recipient of ['', ' ']) expect(isExpectedOrder(order(recipient), undefined, list)).toBe(false)
  expect(isExpectedOrder(order('bc1qours'), undefined, ' , bc1qours ,')).toBe(true)
})

test('error: whatever is no order is not expected', () => {
  fc.assert(fc.property(fc.anything(), evmAddress, (anything, address) => !isExpectedOrder(anything, address, address)))
})
