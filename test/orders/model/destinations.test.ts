import { expect, test } from 'vitest'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { needsPrice } from '../../../server/orders/model/repricing.ts'
import { checkWhole } from './invariants.ts'
import {
  collector,
  collectorOnEthereum,
  ether,
  ethereumQuote,
  minute,
  onTwoChains,
  payer,
  quoteOf,
  shop,
  shopOnEthereum,
  stateOf,
  story,
  t0,
  usdc,
  usdcOnEthereum,
  usdt,
  plain,
} from './support.ts'

const onEither = (more = {}) => story({ ...onTwoChains(), ...more }, { otherQuotes: [ethereumQuote()] })
const legsTo = ({ order }: ReturnType<typeof story>) => order.settlements.at(-1)?.legs.map(({ role, to, amount }) => ({ role, to, amount }))

test('default: an order settles on the chain where it was paid, to the recipient and the collector of that chain', () => {
  const base = onEither()
  base.pay(1000n)
  expect(legsTo(base)).toEqual([
    { role: 'recipient', to: shop, amount: 990n },
    { role: 'fees', to: collector, amount: 10n },
  ])
  const ethereum = onEither()
  ethereum.pay(1000n, { asset: usdcOnEthereum })
  expect(legsTo(ethereum)).toEqual([
    { role: 'recipient', to: shopOnEthereum, amount: 990n },
    { role: 'fees', to: collectorOnEthereum, amount: 10n },
  ])
  for (const sale of [base, ethereum]) {
    sale.settle()
    expect(sale.order.status).toBe('COMPLETED')
    checkWhole(sale.order, [...sale.log])
  }
})

test('behavior: two payments in full on two chains settle once, and the second is held and refundable', () => {
  const sale = onEither()
  const [first, second] = [sale.see(1000n), sale.see(1000n, { asset: usdcOnEthereum })]
  sale.confirm()
  sale.settle()
  expect(sale.order).toMatchObject({ status: 'COMPLETED', settlements: [{ token: usdc }] })
  expect([first, second].map((transfer) => stateOf(sale, transfer))).toEqual(['applied', 'held: other_source'])
  expect(snapshot(sale.order).payment?.held).toMatchObject([{ chain_id: 1, reason: 'other_source', amount: { raw: '1000' } }])
  sale.refund(1000n, { asset: usdcOnEthereum })
  sale.refundOutcome()
  expect(stateOf(sale, second)).toBe('refunded: other_source')
  expect(sale.order.status).toBe('COMPLETED')
  checkWhole(sale.order, [...sale.log])
})

test('behavior: dust on one chain does not keep the full amount on another from paying', () => {
  const sale = onEither()
  const dust = sale.pay(10n)
  expect(sale.order.status).toBe('PENDING')
  sale.pay(1000n, { asset: usdcOnEthereum })
  sale.settle()
  expect(sale.order).toMatchObject({ status: 'COMPLETED', settlements: [{ token: usdcOnEthereum }] })
  expect(stateOf(sale, dust)).toBe('held: other_source')
})

test('behavior: sums of two chains are never added up', () => {
  const sale = onEither()
  sale.pay(600n)
  sale.pay(600n, { asset: usdcOnEthereum })
  expect(sale.order).toMatchObject({ status: 'PARTIAL_PAYMENT', settlements: [] })
})

test('behavior: money is on a wrong chain only where the order has no destination', () => {
  const held = (asset = usdcOnEthereum, terms = {}) => {
    const sale = onEither(terms)
    const transfer = sale.pay(1000n, { asset })
    return stateOf(sale, transfer)
  }
  expect(held({ ...usdt, chainId: 1 })).toBe('held: wrong_token')
  expect(held(usdt)).toBe('held: wrong_token')
  expect(held({ ...usdt, chainId: 10 })).toBe('held: wrong_chain')
  const alone = story()
  const transfer = alone.pay(1000n, { asset: usdcOnEthereum })
  expect(stateOf(alone, transfer)).toBe('held: wrong_chain')
})

test('behavior: a payer may go back and forth between chains on one address, at the prices that were given', () => {
  const sale = onEither()
  sale.choose()
  sale.choose({ source: usdcOnEthereum, quote: undefined })
  expect(sale.order.activeQuote).toBe(1)
  sale.choose({ source: usdc, quote: undefined })
  expect(snapshot(sale.order)).toMatchObject({ payment: { input: { currency: { chain_id: 8453 } } } })
})

test('behavior: the merchant’s default is shown until money fixes the source, and then what took the payment', () => {
  const sale = onEither()
  sale.choose({ source: usdcOnEthereum, quote: ethereumQuote() })
  expect(snapshot(sale.order)).toMatchObject({
    fulfillment: { asset: { chain_id: 8453 }, recipient: shop },
    payment: { recipient: shopOnEthereum, input: { currency: { chain_id: 1 } } },
    settlements: [
      { chain_id: 8453, recipient: shop, amount: { raw: '1000' } },
      { chain_id: 1, recipient: shopOnEthereum, amount: { raw: '1000' } },
    ],
  })
  sale.pay(1000n, { asset: usdcOnEthereum })
  expect(snapshot(sale.order)).toMatchObject({ fulfillment: { asset: { chain_id: 1 }, recipient: shopOnEthereum } })
  expect(snapshot(story().order).settlements).toBeUndefined()
})

test('behavior: late money in a destination that nobody asked for is priced again, even after other quotes', () => {
  const moving = ethereumQuote({ moves: true, expiresAt: t0 + 30 * minute })
  const sale = story(onTwoChains(), { otherQuotes: [moving] })
  sale.wait(40 * minute)
  sale.choose({ source: ether, quote: quoteOf({ source: ether, moves: true }) })
  expect(needsPrice(sale.order, usdcOnEthereum, sale.now)).toBe(true)
  const late = sale.pay(1000n, { asset: usdcOnEthereum })
  expect(stateOf(sale, late)).toBe('held: no_price')
  sale.handle({ type: 'tick', quote: ethereumQuote({ moves: true }) })
  expect(sale.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: a contract’s address gets money back only on the chain for which it was given', () => {
  const surplusOf = (isPlain: boolean) => {
    const sale = onEither()
    sale.choose({ refundAddress: { ...plain(payer), isPlain } })
    sale.pay(1300n, { asset: usdcOnEthereum })
    sale.settle()
    return [sale.order.refunds.length, snapshot(sale.order).payment?.surplus?.raw, snapshot(sale.order).payment?.held?.[0]?.reason]
  }
  expect(surplusOf(true)).toEqual([1, '300', undefined])
  expect(surplusOf(false)).toEqual([0, '300', 'surplus'])
  const sale = onEither()
  sale.choose({ refundAddress: { ...plain(payer), isPlain: false } })
  // The same address, given for the other chain as well, replaces the first.
  sale.choose({ source: usdcOnEthereum, quote: ethereumQuote(), refundAddress: { ...plain(payer, 1), isPlain: false } })
  sale.pay(1300n, { asset: usdcOnEthereum })
  sale.settle()
  expect(sale.order.refunds).toMatchObject([{ address: payer }])
})

test('behavior: a surplus goes back on the chain where it came', () => {
  const sale = onEither()
  sale.choose({ refundAddress: plain(payer) })
  sale.pay(1300n, { asset: usdcOnEthereum })
  expect(legsTo(sale)).toEqual([
    { role: 'recipient', to: shopOnEthereum, amount: 990n },
    { role: 'fees', to: collectorOnEthereum, amount: 10n },
  ])
  sale.settle()
  expect(sale.order.refunds).toMatchObject([{ asset: usdcOnEthereum, amount: 300n, gas: 5n, address: payer }])
  sale.refundOutcome()
  checkWhole(sale.order, [...sale.log])
})

test('behavior: a price that runs out before the order does is made anew when its currency is chosen', () => {
  const moving = ethereumQuote({ moves: true, expiresAt: t0 + 30 * minute })
  const sale = story(onTwoChains(), { otherQuotes: [moving] })
  sale.wait(20 * minute)
  sale.choose()
  sale.choose({ source: usdcOnEthereum, quote: ethereumQuote({ moves: true }) })
  expect(sale.order.quotes.find(({ id }) => id === sale.order.activeQuote)?.expiresAt).toBe(sale.order.expiresAt)
  sale.wait(15 * minute)
  const paid = sale.pay(1000n, { asset: usdcOnEthereum })
  expect(stateOf(sale, paid)).toBe('confirmed')
  expect(sale.order.status).toBe('EXECUTING_ORDER')
})
