import { expect, test } from 'vitest'
import type { Order } from '../../../server/orders/model/order.ts'
import { type Quote, withSlippage } from '../../../server/orders/model/quote.ts'
import { atDeposit, conversionLeft } from '../../../server/orders/model/funding.ts'
import { checkWhole, ledgerOf } from './invariants.ts'
import { etherQuote, legsOf, minute, money, policy, running, shop, stateOf, story, type Story, t0, usdc, ether } from './support.ts'

/** Orders in dollars that are paid in ether: 5000 of it is asked for, of which the shop gets 990 and fees take 10. */

const route = ['ether', 'dollars']
const asked = (total?: bigint, more: Partial<Quote> = {}): Quote => ({ ...etherQuote(total), route, ...more })
function choosing(quote = asked(), refundAddress?: string): Story {
  const one = story(quote.tradeType === 'EXACT_INPUT' ? { tradeType: 'EXACT_INPUT' } : {})
  one.choose({ source: ether, quote, refundAddress })
  one.statuses()
  return one
}
const pay = (one: Story, amount: bigint) => one.pay(amount, { asset: ether })
function convert(one: Story, swapped: bigint, paid = [true, true]) {
  const { id } = running(one.order)!
  one.tell({ type: 'settlement', id, outcome: { state: 'broadcast', txHash: `0x${id}` } })
  one.tell({ type: 'settlement', id, outcome: { state: 'confirmed', txHash: `0x${id}`, paid, swapped } })
}
const booked = (one: Story, account: string, asset: Order['terms']['asset']) =>
  ledgerOf([...one.log]).get(`${account} ${asset.chainId} ${asset.address}`) ?? 0n

test('default: all that is due is converted, and must give output and fees', () => {
  const one = choosing()
  const transfer = pay(one, 5000n)
  expect(one.order.settlements).toMatchObject([{ token: usdc, swap: { source: ether, amountIn: 5000n, minOut: 1000n, route } }])
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
  expect(atDeposit(one.order, ether)).toBe(0n)
  convert(one, 1000n)
  expect(one.order.status).toBe('COMPLETED')
  expect(stateOf(one, transfer)).toBe('applied')
  expect([booked(one, 'conversion', ether), booked(one, 'conversion', usdc)]).toEqual([5000n, -1000n])
  expect([booked(one, 'deposit', ether), booked(one, 'deposit', usdc)]).toEqual([0n, 0n])
  checkWhole(one.order, [...one.log])
})

test('behavior: what was left over pays for the gas, once; less than sending it costs stays', () => {
  const one = choosing()
  pay(one, 5000n)
  convert(one, 1008n)
  expect(one.order.status).toBe('COMPLETED')
  expect(running(one.order)).toMatchObject({ isRest: true, legs: [{ role: 'gas', amount: 8n }] })
  convert(one, 0n, [true])
  expect(running(one.order)).toBeUndefined()
  expect([booked(one, 'gas', usdc), booked(one, 'deposit', usdc)]).toEqual([8n, 0n])
  checkWhole(one.order, [...one.log])

  const little = choosing()
  pay(little, 5000n)
  convert(little, 1001n)
  expect(running(little.order)).toBeUndefined()
  expect(booked(little, 'deposit', usdc)).toBe(1n)
})

test('behavior: where the input is fixed the recipient gets at least what the slippage leaves, and then the rest', () => {
  const one = choosing(asked(5000n, { tradeType: 'EXACT_INPUT' }))
  pay(one, 5000n)
  expect(legsOf(one)).toEqual({ recipient: 980n, fees: 10n })
  convert(one, 1000n)
  expect(running(one.order)).toMatchObject({ isRest: true, legs: [{ role: 'recipient', to: shop, amount: 10n }] })
  convert(one, 0n, [true])
  expect(booked(one, 'recipient', usdc)).toBe(990n)
})

test('behavior: more than was due stays ether, and goes back as ether', () => {
  const one = choosing(asked(), '0x3333333333333333333333333333333333333333')
  pay(one, 5600n)
  expect(running(one.order)).toMatchObject({ swap: { amountIn: 5000n } })
  convert(one, 1000n)
  expect(one.order.refunds).toMatchObject([{ asset: ether, amount: 600n, gas: policy.refundGas(ether), reason: 'overpaid' }])
  one.refundOutcome()
  expect(booked(one, 'deposit', ether)).toBe(0n)
})

test('behavior: within the merchant’s tolerance less comes, and less has to come out', () => {
  const one = story({ toleranceBps: 100 })
  one.choose({ source: ether, quote: asked() })
  pay(one, 4960n)
  expect(running(one.order)).toMatchObject({ swap: { amountIn: 4960n, minOut: 992n } })
  expect(legsOf(one)).toEqual({ recipient: 982n, fees: 10n })
})

test('behavior: the price moved: held whole, tried again, and refundable', () => {
  const one = choosing()
  const transfer = pay(one, 5000n)
  one.settle('failed')
  expect(one.order.status).toBe('FAILED')
  expect(stateOf(one, transfer)).toBe('held: settlement_failed')
  expect(atDeposit(one.order, ether)).toBe(5000n)
  one.wait(minute)
  one.tick()
  expect(one.order.status).toBe('EXECUTING_ORDER')
  one.settle('failed')
  one.refund(5000n, { asset: ether })
  one.refundOutcome()
  expect(one.order.status).toBe('REFUNDED')
  checkWhole(one.order, [...one.log])
})

test('behavior: the price never comes back: after its tries it goes where the payer said, whole, less the gas', () => {
  const one = choosing(asked(), '0x3333333333333333333333333333333333333333')
  const transfer = pay(one, 5000n)
  one.settle('failed')
  expect(one.order.refunds).toEqual([])
  one.wait(minute)
  one.tick()
  one.settle('failed')
  expect(one.order.refunds).toMatchObject([
    { asset: ether, amount: 5000n, gas: policy.refundGas(ether), from: 'deposit', reason: 'price_moved' },
  ])
  // What is on its way back is not converted any more.
  one.wait(10 * minute)
  one.tick()
  expect(one.order.status).toBe('FAILED')
  one.refundOutcome()
  expect(one.order.status).toBe('REFUNDED')
  expect(stateOf(one, transfer)).toBe('refunded: settlement_failed')
  checkWhole(one.order, [...one.log])
})

test('behavior: converted, but the recipient refused: not converted twice, and refundable as what it has become', () => {
  const one = choosing()
  pay(one, 5000n)
  convert(one, 1004n, [false, true])
  expect(one.order.status).toBe('FAILED')
  expect(conversionLeft(one.order)).toBe(994n)
  one.wait(minute)
  one.tick()
  expect(running(one.order)?.swap).toBeUndefined()
  expect(legsOf(one)).toEqual({ recipient: 990n })
  one.settle('failed')
  expect(
    one.refused({
      type: 'refund',
      refund: { id: 'r1', asset: usdc, amount: 995n, gas: 0n, address: shop, from: 'deposit', refundOrderId: 'o' },
    }),
  ).toBe('refund_too_large')
  one.refund(994n, { asset: usdc })
  one.refundOutcome()
  expect(one.order.status).toBe('REFUNDED')
})

test('behavior: late money is priced anew: enough is enough, too little is a part', () => {
  const late = (quote: Quote | undefined, amount = 5000n) => {
    const one = choosing()
    one.wait(31 * minute)
    one.tick()
    const transfer = { key: 'k', asset: ether, txHash: '0xl', amount, block: 200, blockHash: 'b200', seenAt: one.now, needed: 3 }
    one.tell({ type: 'arrived', transfers: [transfer], head: 202, quotes: quote && [quote] })
    one.statuses()
    return one
  }
  expect(late(asked(4900n)).order).toMatchObject({ status: 'EXECUTING_ORDER', settlements: [{ swap: { amountIn: 4900n } }] })
  const part = late(asked(5500n))
  expect(part.order.status).toBe('PARTIAL_PAYMENT')
  expect(money(part)).toMatchObject({ required: 5500n, received: 5000n, remaining: 500n })
  // In a block in time, and seen only now: the price that was given holds.
  const intime = choosing()
  intime.wait(31 * minute)
  intime.tick()
  expect(intime.order.status).toBe('EXPIRED')
  intime.see(5000n, { asset: ether, seenAt: intime.now - 2 * minute })
  intime.confirm()
  expect(intime.order).toMatchObject({ status: 'EXECUTING_ORDER', settlements: [{ swap: { amountIn: 5000n } }] })
  // No price to be had: it waits, and is taken when there is one.
  const held = late(undefined)
  expect(held.order).toMatchObject({ status: 'EXPIRED', transfers: [{ state: 'held', reason: 'no_price' }] })
  held.choose({ source: ether, quote: asked(4800n) })
  expect(held.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: the rest of a part is priced anew when its time is over, for a day, and the reminder still comes', () => {
  const one = choosing()
  pay(one, 2000n)
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
  one.wait(31 * minute)
  one.tell({ type: 'tick', quote: asked(5200n) })
  expect(money(one)).toMatchObject({ required: 5200n, remaining: 3200n })
  expect(one.order.quotes.at(-1)?.expiresAt).toBe(one.now + policy.paymentWindowMs)
  one.wait(25 * 60 * minute)
  one.tell({ type: 'tick', quote: asked(5300n) })
  expect(money(one).required).toBe(5300n)
  one.wait(6 * 24 * 60 * minute)
  one.tell({ type: 'tick', quote: asked(9999n) })
  expect(one.order.remindedAt).toBe(one.now)
  expect(money(one).required).toBe(5300n)
  // The payer comes back: today's price.
  one.choose({ source: ether, quote: asked(4700n) })
  expect(money(one).required).toBe(4700n)
  pay(one, 2700n)
  expect(one.order.status).toBe('EXECUTING_ORDER')
  expect(one.order.createdAt).toBe(t0)
})

test('default: the cushion, in places that can be typed', () => {
  expect(withSlippage(1_000_000n, 100, 6)).toBe(1_010_102n)
  expect(withSlippage(1_000_000n, 0, 6)).toBe(1_000_000n)
  expect(withSlippage(123_456_789_012_345_678n, 50, 18) % 10n ** 10n).toBe(0n)
  expect((withSlippage(10n ** 18n, 100, 18) * 9_900n) / 10_000n).toBeGreaterThanOrEqual(10n ** 18n)
})
