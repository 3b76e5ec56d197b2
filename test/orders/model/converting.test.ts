import { expect, test } from 'vitest'
import type { Order } from '../../../server/orders/model/order.ts'
import { type Quote, withSlippage } from '../../../server/orders/model/quote.ts'
import { atDeposit, conversionLeft } from '../../../server/orders/model/funding.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { checkWhole, ledgerOf } from './invariants.ts'
import { etherQuote, legsOf, minute, money, plain, policy, running, shop, stateOf, story, type Story, t0, usdc, ether } from './support.ts'

/** Orders in dollars that are paid in ether: 5000 units are due, of which the shop gets 990 and fees take 10. */

const quoted = (total?: bigint, more: Partial<Quote> = {}): Quote => ({ ...etherQuote(total), ...more })
function choosing(quote = quoted(), refundAddress?: string): Story {
  const sale = story(quote.tradeType === 'EXACT_INPUT' ? { tradeType: 'EXACT_INPUT' } : {})
  sale.choose({ source: ether, quote, refundAddress: refundAddress === undefined ? undefined : plain(refundAddress) })
  sale.statuses()
  return sale
}
const pay = (story: Story, amount: bigint) => story.pay(amount, { asset: ether })
function convert(story: Story, swapped: bigint, paid = [true, true]) {
  const { id } = running(story.order)!
  story.handle({ type: 'settlement', id, outcome: { state: 'broadcast', txHash: `0x${id}` } })
  story.handle({ type: 'settlement', id, outcome: { state: 'confirmed', txHash: `0x${id}`, paid, swapped } })
}
const booked = (story: Story, account: string, asset: Order['terms']['asset']) =>
  ledgerOf([...story.log]).get(`${account} ${asset.chainId} ${asset.address}`) ?? 0n

test('default: the whole amount due is converted and must yield output and fees', () => {
  const story = choosing()
  const transfer = pay(story, 5000n)
  expect(story.order.settlements).toMatchObject([{ token: usdc, swap: { source: ether, amountIn: 5000n, minOut: 1000n } }])
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  expect(atDeposit(story.order, ether)).toBe(0n)
  convert(story, 1000n)
  expect(story.order.status).toBe('COMPLETED')
  expect(stateOf(story, transfer)).toBe('applied')
  expect([booked(story, 'conversion', ether), booked(story, 'conversion', usdc)]).toEqual([5000n, -1000n])
  expect([booked(story, 'deposit', ether), booked(story, 'deposit', usdc)]).toEqual([0n, 0n])
  checkWhole(story.order, [...story.log])
})

test('behavior: the recipient gets all that a conversion yields but the fees', () => {
  const story = choosing()
  pay(story, 5000n)
  convert(story, 1008n)
  expect(story.order.status).toBe('COMPLETED')
  expect(legsOf(story)).toEqual({ recipient: 998n, fees: 10n })
  expect(running(story.order)).toBeUndefined()
  expect([booked(story, 'recipient', usdc), booked(story, 'fees', usdc), booked(story, 'deposit', usdc)]).toEqual([998n, 10n, 0n])
  checkWhole(story.order, [...story.log])
})

test('behavior: until a conversion is final again after a reorganisation, it is known to yield its least output', () => {
  const story = choosing()
  pay(story, 5000n)
  convert(story, 1008n)
  story.handle({ type: 'settlement', id: 's1', outcome: { state: 'unmined' } })
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  expect([atDeposit(story.order, ether), atDeposit(story.order, usdc)]).toEqual([0n, 0n])
  convert(story, 1003n)
  expect(legsOf(story)).toEqual({ recipient: 993n, fees: 10n })
  expect(booked(story, 'recipient', usdc)).toBe(993n)
  checkWhole(story.order, [...story.log])
})

test('behavior: with a fixed input the recipient gets at least the amount after slippage', () => {
  const story = choosing(quoted(5000n, { tradeType: 'EXACT_INPUT' }))
  pay(story, 5000n)
  expect(legsOf(story)).toEqual({ recipient: 980n, fees: 10n })
  convert(story, 1000n)
  expect(booked(story, 'recipient', usdc)).toBe(990n)
})

test('behavior: a surplus stays in ether and is refunded in ether', () => {
  const story = choosing(quoted(), '0x3333333333333333333333333333333333333333')
  pay(story, 5600n)
  expect(running(story.order)).toMatchObject({ swap: { amountIn: 5000n } })
  convert(story, 1000n)
  expect(story.order.refunds).toMatchObject([{ asset: ether, amount: 600n, gas: policy.refundGas(ether), reason: 'overpaid' }])
  story.refundOutcome()
  expect(booked(story, 'deposit', ether)).toBe(0n)
})

test('behavior: within the merchant’s tolerance a smaller payment converts to a smaller output', () => {
  const sale = story({ toleranceBps: 100 })
  sale.choose({ source: ether, quote: quoted() })
  pay(sale, 4960n)
  expect(running(sale.order)).toMatchObject({ swap: { amountIn: 4960n, minOut: 992n } })
  expect(legsOf(sale)).toEqual({ recipient: 982n, fees: 10n })
})

test('behavior: after a price move the money is held in full, retried, and refundable', () => {
  const story = choosing()
  const transfer = pay(story, 5000n)
  story.settle('failed')
  expect(story.order.status).toBe('FAILED')
  expect(stateOf(story, transfer)).toBe('held: settlement_failed')
  expect(atDeposit(story.order, ether)).toBe(5000n)
  story.wait(minute)
  story.tick()
  expect(story.order.status).toBe('EXECUTING_ORDER')
  story.settle('failed')
  story.refund(5000n, { asset: ether })
  story.refundOutcome()
  expect(story.order.status).toBe('REFUNDED')
  checkWhole(story.order, [...story.log])
})

test('behavior: when the price never recovers, the money is refunded in full after the last retry, less the gas', () => {
  const story = choosing(quoted(), '0x3333333333333333333333333333333333333333')
  const transfer = pay(story, 5000n)
  story.settle('failed')
  expect(story.order.refunds).toEqual([])
  story.wait(minute)
  story.tick()
  story.settle('failed')
  expect(story.order.refunds).toMatchObject([
    { asset: ether, amount: 5000n, gas: policy.refundGas(ether), from: 'deposit', reason: 'price_moved' },
  ])
  // Money that is being refunded is not converted.
  story.wait(10 * minute)
  story.tick()
  expect(story.order.status).toBe('FAILED')
  story.refundOutcome()
  expect(story.order.status).toBe('REFUNDED')
  expect(stateOf(story, transfer)).toBe('refunded: settlement_failed')
  checkWhole(story.order, [...story.log])
})

test('behavior: a conversion whose recipient refused is not repeated, and the output is refundable', () => {
  const story = choosing()
  pay(story, 5000n)
  convert(story, 1004n, [false, false])
  expect(story.order.status).toBe('FAILED')
  expect(conversionLeft(story.order, usdc)).toBe(1004n)
  expect(snapshot(story.order).payment?.held).toMatchObject([
    { currency: { symbol: 'USDC' }, amount: { raw: '1004' }, reason: 'settlement_failed' },
  ])
  story.wait(minute)
  story.tick()
  expect(running(story.order)?.swap).toBeUndefined()
  expect(legsOf(story)).toEqual({ recipient: 994n, fees: 10n })
  story.settle('failed')
  expect(
    story.refused({
      type: 'refund',
      refund: { id: 'r1', asset: usdc, amount: 1005n, gas: 0n, address: shop, from: 'deposit', refundOrderId: 'o' },
    }),
  ).toBe('refund_too_large')
  story.refund(1004n, { asset: usdc })
  story.refundOutcome()
  expect(story.order.status).toBe('REFUNDED')
  expect(snapshot(story.order).payment?.held).toBeUndefined()
})

test('behavior: late money is repriced: enough completes the order, too little is a part payment', () => {
  const late = (quote: Quote | undefined, amount = 5000n) => {
    const story = choosing()
    story.wait(31 * minute)
    story.tick()
    const at = { block: 200, blockHash: 'b200', confirmations: 3, needed: 3 }
    const transfer = { key: 'k', asset: ether, txHash: '0xl', amount, ...at, seenAt: story.now }
    story.handle({ type: 'arrived', transfers: [transfer], quotes: quote && [quote] })
    story.statuses()
    return story
  }
  expect(late(quoted(4900n)).order).toMatchObject({ status: 'EXECUTING_ORDER', settlements: [{ swap: { amountIn: 4900n } }] })
  const part = late(quoted(5500n))
  expect(part.order.status).toBe('PARTIAL_PAYMENT')
  expect(money(part)).toMatchObject({ required: 5500n, received: 5000n, remaining: 500n })
  // The block was in time although it is seen late, so the old price applies.
  const intime = choosing()
  intime.wait(31 * minute)
  intime.tick()
  expect(intime.order.status).toBe('EXPIRED')
  intime.see(5000n, { asset: ether, seenAt: intime.now - 2 * minute })
  intime.confirm()
  expect(intime.order).toMatchObject({ status: 'EXECUTING_ORDER', settlements: [{ swap: { amountIn: 5000n } }] })
  // Without a price the money is held, and it is applied once there is one.
  const held = late(undefined)
  expect(held.order).toMatchObject({ status: 'EXPIRED', transfers: [{ state: 'held', reason: 'no_price' }] })
  held.choose({ source: ether, quote: quoted(4800n) })
  expect(held.order.status).toBe('EXECUTING_ORDER')
})

test('behavior: the rest of a part payment is repriced at each expiry for a day, and the reminder is still sent', () => {
  const story = choosing()
  pay(story, 2000n)
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  story.wait(31 * minute)
  story.handle({ type: 'tick', quote: quoted(5200n) })
  expect(money(story)).toMatchObject({ required: 5200n, remaining: 3200n })
  expect(story.order.quotes.at(-1)?.expiresAt).toBe(story.now + policy.paymentWindowMs)
  story.wait(25 * 60 * minute)
  story.handle({ type: 'tick', quote: quoted(5300n) })
  expect(money(story).required).toBe(5300n)
  story.wait(6 * 24 * 60 * minute)
  story.handle({ type: 'tick', quote: quoted(9999n) })
  expect(story.order.remindedAt).toBe(story.now)
  expect(money(story).required).toBe(5300n)
  // The payer chooses again and gets today's price.
  story.choose({ source: ether, quote: quoted(4700n) })
  expect(money(story).required).toBe(4700n)
  pay(story, 2700n)
  expect(story.order.status).toBe('EXECUTING_ORDER')
  expect(story.order.createdAt).toBe(t0)
})

test('default: the slippage cushion is rounded up', () => {
  expect(withSlippage(1_000_000n, 100)).toBe(1_010_102n)
  expect(withSlippage(1_000_000n, 0)).toBe(1_000_000n)
  expect((withSlippage(10n ** 18n, 100) * 9_900n) / 10_000n).toBeGreaterThanOrEqual(10n ** 18n)
})
