import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Command } from '../../../server/orders/model/commands.ts'
import { chainsToReturnOn, refundAddressOn } from '../../../server/orders/model/refund-address.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { awaiting, completed, otherPayer, payer, plain, story, usdcOnEthereum, type Story } from './support.ts'

/** An address that is given alone, possibly after the money has arrived. */

const give = (address: string, more: { chainId?: 1 | 8453; signed?: boolean } = {}): Command => ({
  type: 'give_refund_address',
  refundAddress: plain(address, more.chainId),
  signed: more.signed ?? false,
})
const proposed = ({ order }: Story) => snapshot(order).payment?.refund?.proposed?.map(({ address }) => address)

/** An order that was paid with 100 too much. */
const overpaid = () => completed(undefined, 1100n)

test('default: before any money the key sets the address', () => {
  const sale = awaiting()
  sale.handle(give(payer))
  expect(sale.order).toMatchObject({ status: 'AWAITING_PAYMENT', refundAddress: payer })
  expect(proposed(sale)).toBeUndefined()
})

test('error: an order for which no payment was asked and no money has come takes no address', () => {
  expect(story().refused(give(payer))).toBe('not_payable')
})

test('default: after money the key only proposes, and the merchant’s signature sends the money there', () => {
  const sale = overpaid()
  sale.handle(give(payer))
  expect(proposed(sale)).toEqual([payer])
  expect(sale.order.refundAddress).toBeUndefined()
  sale.tick()
  expect(sale.order.refunds).toEqual([])
  sale.handle(give(payer, { signed: true }))
  expect(sale.order.refunds.map(({ address, amount, reason }) => ({ address, amount, reason }))).toEqual([
    { address: payer, amount: 100n, reason: 'overpaid' },
  ])
  expect(proposed(sale)).toBeUndefined()
})

test('behavior: several may be proposed, each once, and the merchant may choose another one', () => {
  const sale = overpaid()
  sale.handle(give(payer))
  sale.handle(give(otherPayer))
  expect(sale.handle(give(payer))).toEqual([])
  expect(proposed(sale)).toEqual([payer, otherPayer])
  const third = `0x${'3a'.repeat(20)}`
  sale.handle(give(third, { signed: true }))
  expect(sale.order.refunds.map(({ address }) => address)).toEqual([third])
})

test('error: where the merchant has set an address, or five were proposed, the key proposes none', () => {
  const settled = overpaid()
  settled.handle(give(payer, { signed: true }))
  expect(settled.refused(give(otherPayer))).toBe('refund_address_fixed')
  const flooded = overpaid()
  for (const digit of 'abcde') flooded.handle(give(`0x${digit.repeat(40)}`))
  expect(flooded.refused(give(payer))).toBe('refund_address_fixed')
  flooded.handle(give(payer, { signed: true }))
  expect(flooded.order.refundAddress).toBe(payer)
})

test('behavior: an expired order takes an address for what it holds, on the chain where that is', () => {
  const sale = awaiting()
  sale.see(400n, { asset: usdcOnEthereum })
  sale.confirm()
  sale.wait(sale.order.expiresAt - sale.now)
  sale.tick()
  expect(sale.order.transfers.map(({ state }) => state)).toEqual(['held'])
  sale.handle(give(payer, { chainId: 1 }))
  expect(snapshot(sale.order).payment?.refund?.proposed).toMatchObject([{ address: payer, chain_id: 1 }])
})

test('behavior: an address may be for the payment, and for any chain on which money has come, also before it is held', () => {
  const sale = awaiting()
  expect(chainsToReturnOn(sale.order)).toEqual([8453])
  const stray = sale.see(400n, { asset: usdcOnEthereum })
  expect(chainsToReturnOn(sale.order)).toEqual([8453, 1])
  sale.handle({ type: 'vanished', keys: [stray.key] })
  expect(chainsToReturnOn(sale.order)).toEqual([8453])
})

test('property: whatever is proposed by key, no money goes anywhere', () => {
  const address = fc.constantFrom(payer, otherPayer, ...[...'abcdef'].map((digit) => `0x${digit.repeat(40)}`))
  fc.assert(
    fc.property(fc.array(address, { maxLength: 8 }), (addresses) => {
      const sale = overpaid()
      for (const each of addresses) {
        const isFull = (sale.order.proposedAddresses ?? []).length === 5
        const isKnown = sale.order.proposedAddresses?.some((other) => other.address === each)
        if (isFull && !isKnown) expect(sale.refused(give(each))).toBe('refund_address_fixed')
        else sale.handle(give(each))
        sale.tick()
      }
      expect(sale.order.refunds).toEqual([])
      expect(refundAddressOn(sale.order, 8453)).toBeUndefined()
    }),
  )
})
