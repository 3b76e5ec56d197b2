import { expect, test } from 'vitest'
import { apply } from '../../../server/orders/model/apply.ts'
import { depositOn, findDeposit, shownDeposit } from '../../../server/orders/model/deposits.ts'
import type { Fact } from '../../../server/orders/model/facts.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { newOrderOf, quoteOf, t0, usdc } from './support.ts'

const [evm, bitcoin] = ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq']
const coin = { chainId: 20000000000001, address: null, symbol: 'BTC', name: 'Bitcoin', decimals: 8 } as const
const created = apply(undefined, { type: 'created', order: { ...newOrderOf(), deposits: { evm, bitcoin } } }, t0)

test('default: payers are shown the address of the family of the chain on which they pay', () => {
  const shownFor = (asset: typeof usdc | typeof coin) => {
    const quote = quoteOf({ id: 1, source: asset, asset })
    return snapshot(apply(created, { type: 'quoted', quote, expiresAt: quote.expiresAt }, t0)).payment?.steps
  }
  expect(shownFor(usdc)).toMatchObject([{ data: { deposit_address: evm } }])
  expect(shownFor({ ...usdc, chainId: 1 })).toMatchObject([{ data: { deposit_address: evm } }])
  expect(shownFor(coin)).toMatchObject([{ data: { deposit_address: bitcoin } }])
})

test('behavior: addresses are compared in canonical form and shown with their checksum', () => {
  expect([findDeposit(created, 8453), depositOn(created, 1), shownDeposit(created, 8453)]).toEqual([
    evm.toLowerCase(),
    evm.toLowerCase(),
    evm,
  ])
  expect(findDeposit(created, 20000000000001)).toBe(bitcoin)
})

test('error: there is no address in a family in which the order cannot be paid', () => {
  expect(findDeposit(created, 30000000000001)).toBeUndefined()
  expect(() => shownDeposit(created, 30000000000001)).toThrow('order ord_1 has no deposit address on chain 30000000000001')
})

test('behavior: the first fact of an older order names a single address', () => {
  const { deposits: _, ...order } = newOrderOf()
  const old = { type: 'created', order: { ...order, depositAddress: evm } } as unknown as Fact
  const read = apply(undefined, old, t0)
  expect(read.deposits).toEqual({ evm })
  expect(read).not.toHaveProperty('depositAddress')
})
