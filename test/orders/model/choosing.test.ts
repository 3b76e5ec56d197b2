import { expect, test } from 'vitest'
import { takesAuthorization } from '../../../server/orders/model/choosing.ts'
import { closing, funding, quoteInForce } from '../../../server/orders/model/funding.ts'
import { nextTick } from '../../../server/orders/model/ticking.ts'
import { awaiting, completed, day, ether, etherQuote, minute, otherPayer, payer, quoteOf, policy, story, t0, usdc } from './support.ts'

const chosen = ({ order }: ReturnType<typeof story>) => order.quotes.find((one) => one.id === (order.fixedQuote ?? order.activeQuote))

test('default: the first choice gives instructions and starts the clock', () => {
  const one = story()
  one.choose()
  expect(one.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: t0 + 30 * minute, activeQuote: 1, instructedAt: t0 })
})

test('behavior: the same choice again gives the same instructions', () => {
  const one = awaiting()
  one.wait(minute)
  expect(one.choose()).toEqual([])
  expect(one.order.activeQuote).toBe(1)
})

test('behavior: another source is another quote of the same order, within the same time', () => {
  const one = awaiting()
  one.wait(minute)
  one.choose({ source: ether, quote: etherQuote() })
  expect(one.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: t0 + 30 * minute, activeQuote: 2 })
  one.choose()
  expect(one.order.activeQuote).toBe(1)
  expect(one.order.quotes).toHaveLength(3)
})

test('behavior: the first quoted currency whose own money covers its quote takes the order, and only once that is confirmed', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  one.choose()
  one.see(5000n, { asset: ether })
  expect(one.order.fixedQuote).toBeUndefined()
  expect(one.order.status).toBe('AWAITING_CONFIRMATION')
  expect(quoteInForce(one.order).source).toEqual(ether)
  one.confirm()
  expect(chosen(one)?.source).toEqual(ether)
})

test('behavior: dust in one currency, then the whole in another: the other completes the order', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  const dust = one.pay(10n)
  one.pay(5000n, { asset: ether })
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  expect(one.order.transfers.find(({ key }) => key === dust.key)).toMatchObject({ state: 'held', reason: 'other_source' })
  expect(one.statuses()).toEqual(['AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'COMPLETED'])
})

test('behavior: dust closes nothing, and lowers what its own currency still asks', () => {
  const one = awaiting()
  one.pay(49n)
  expect(one.order.status).toBe('AWAITING_PAYMENT')
  expect(funding(one.order)).toMatchObject({ received: 49n, remaining: 951n })
  one.choose({ source: ether, quote: etherQuote() })
  expect(funding(one.order)).toMatchObject({ received: 0n, remaining: 5000n })
  expect(takesAuthorization(one.order, one.now)).toBe(true)
  one.wait(31 * minute)
  one.tick()
  expect(one.order.status).toBe('EXPIRED')
  expect(one.order.transfers).toMatchObject([{ state: 'held', reason: 'too_little' }])
  one.choose()
  one.pay(951n)
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: sums of two currencies are never added', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  one.see(900n)
  one.see(4500n, { asset: ether })
  one.confirm()
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
  expect(quoteInForce(one.order).source).toEqual(usdc)
  one.pay(500n, { asset: ether })
  expect(quoteInForce(one.order).source).toEqual(ether)
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  expect(one.order.transfers.find(({ amount }) => amount === 900n)).toMatchObject({ state: 'held', reason: 'other_source' })
})

test('behavior: what is seen closes the others while it covers its quote, until it vanishes', () => {
  const one = awaiting()
  const seen = one.see(1000n)
  expect(takesAuthorization(one.order, one.now)).toBe(false)
  expect(closing(one.order)?.because).toBe('covered')
  one.vanish(seen)
  one.choose({ source: ether, quote: etherQuote() })
  expect(takesAuthorization(one.order, one.now)).toBe(true)
})

test('behavior: a quote that ran out and was never paid in is dropped, a live one never', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  for (let round = 0; round < 20; round++) {
    one.wait(31 * minute)
    one.tick()
    one.choose(round % 2 === 0 ? {} : { source: ether, quote: etherQuote() })
  }
  expect(one.order.quotes.length).toBeLessThanOrEqual(3)
  expect(new Set(one.order.quotes.map(({ id }) => id)).size).toBe(one.order.quotes.length)
})

test('behavior: a live quote is the answer, whatever the slippage asked for', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  expect(one.choose({ source: ether, quote: { ...etherQuote(), slippageBps: 300 } })).toEqual([])
})

test('behavior: a price that converts does not bind money that came after it had ended', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  one.wait(31 * minute)
  one.tick()
  const late = one.pay(5000n, { asset: ether })
  expect(one.order.fixedQuote).toBeUndefined()
  expect(one.order.transfers.find((each) => each.key === late.key)).toMatchObject({ state: 'held', reason: 'no_price' })
  one.choose({ source: ether, quote: etherQuote(6000n) })
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
  expect(chosen(one)?.input.total).toBe(6000n)
})

test('error: another source after a payment has begun', () => {
  const one = awaiting()
  one.pay(370n)
  expect(one.refused({ type: 'choose', source: ether, quote: etherQuote(), signed: false })).toBe('source_fixed')
  expect(one.choose()).toEqual([])
})

test('behavior: when a reorg took the money that had begun a payment, every source is free again', () => {
  const one = awaiting()
  const paid = one.pay(370n)
  one.vanish(paid)
  expect(one.order.fixedQuote).toBeUndefined()
  one.choose({ source: ether, quote: etherQuote() })
  expect(chosen(one)?.source).toEqual(ether)
})

test('behavior: a signed authorisation reserves the order while it is in flight, and frees it when it can never come', () => {
  const one = awaiting()
  one.tell({ type: 'authorized', quoteId: 1 })
  expect(one.refused({ type: 'choose', source: ether, quote: etherQuote(), signed: false })).toBe('source_fixed')
  expect(one.order.fixedQuote).toBeUndefined()
  one.tell({ type: 'unauthorized' })
  one.choose({ source: ether, quote: etherQuote() })
  expect(chosen(one)?.source).toEqual(ether)
})

test('behavior: who signed while a price held is not late because the transaction was', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  one.tell({ type: 'authorized', quoteId: one.order.activeQuote })
  one.wait(31 * minute)
  expect(one.tick()).toEqual([])
  one.pay(5000n, { asset: ether })
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: a signature that is long over does not keep an order from expiring', () => {
  const one = awaiting()
  one.tell({ type: 'authorized', quoteId: one.order.activeQuote })
  one.wait(31 * minute)
  expect(one.tick()).toEqual([])
  one.wait(60 * minute)
  one.tick()
  expect(one.order.status).toBe('EXPIRED')
  expect(one.order.claimedQuote).toBeUndefined()
})

test('behavior: late money that nobody knew a price for is priced as soon as somebody does', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  one.wait(31 * minute)
  one.tick()
  one.pay(6000n, { asset: ether })
  expect(one.order).toMatchObject({ status: 'EXPIRED', transfers: [{ state: 'held', reason: 'no_price' }] })
  expect(nextTick(one.order, policy)).toBe(one.order.updatedAt + minute)
  one.wait(minute)
  one.tell({ type: 'tick', quote: etherQuote(5500n) })
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: on EXPIRED with nothing received a new price starts the clock anew', () => {
  const one = awaiting()
  one.wait(31 * minute)
  one.tick()
  expect(one.order.status).toBe('EXPIRED')
  one.choose({ quote: quoteOf({ input: { base: 1000n, custom: 0n, protocol: 0n, relayer: 0n, gas: 0n, total: 1000n } }) })
  expect(one.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: one.now + 30 * minute })
  expect(one.order.activeQuote).toBe(2)
})

test('behavior: also after money came and was lost to a reorg', () => {
  const one = awaiting()
  one.vanish(one.see(370n))
  one.wait(31 * minute)
  one.tick()
  one.choose()
  expect(one.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: one.now + 30 * minute })
})

test('behavior: time past, not yet ticked, is already past for a new price', () => {
  const one = awaiting()
  one.wait(30 * minute)
  one.choose()
  expect(one.order).toMatchObject({ status: 'AWAITING_PAYMENT', activeQuote: 2, expiresAt: one.now + 30 * minute })
})

test('error: an order that is settled or on its way cannot be chosen for', () => {
  expect(completed().refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('not_payable')
  const confirming = awaiting()
  confirming.see(1000n)
  expect(confirming.refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('not_payable')
})

test('behavior: time is extended in its last minutes, at the same price, three times', () => {
  const one = awaiting()
  for (let times = 1; times <= 3; times++) {
    one.wait(one.order.expiresAt - one.now - 5 * minute)
    one.tell({ type: 'extend', quote: undefined })
    expect(one.order).toMatchObject({ extensions: times, expiresAt: t0 + (1 + times) * 30 * minute, activeQuote: 1 })
  }
  one.wait(26 * minute + 5 * minute)
  expect(one.refused({ type: 'extend', quote: undefined })).toBe('too_often')
})

test('behavior: what converts is priced anew when it is extended', () => {
  const one = story()
  one.choose({ source: ether, quote: etherQuote() })
  one.wait(26 * minute)
  one.tell({ type: 'extend', quote: etherQuote(5100n) })
  expect(chosen(one)?.input.total).toBe(5100n)
})

test('error: extending too early, too late, or what cannot be paid', () => {
  const one = awaiting()
  expect(one.refused({ type: 'extend', quote: undefined })).toBe('too_early')
  one.wait(30 * minute)
  expect(one.refused({ type: 'extend', quote: undefined })).toBe('not_payable')
  one.tick()
  expect(one.refused({ type: 'extend', quote: undefined })).toBe('not_payable')
  expect(story().refused({ type: 'extend', quote: undefined })).toBe('not_payable')
})

test('behavior: anyone may change the refund address until money is seen, then the merchant alone', () => {
  const one = awaiting({}, payer)
  one.choose({ refundAddress: otherPayer })
  expect(one.order.refundAddress).toBe(otherPayer)
  one.see(370n)
  expect(one.refused({ type: 'choose', source: usdc, quote: quoteOf(), refundAddress: payer, signed: false })).toBe('refund_address_fixed')
  expect(one.choose({ refundAddress: otherPayer })).toEqual([])
  one.choose({ refundAddress: payer, signed: true })
  expect(one.log.filter(({ fact }) => fact.type === 'refund_address_set').map(({ fact }) => fact)).toEqual([
    { type: 'refund_address_set', address: payer, signed: false },
    { type: 'refund_address_set', address: otherPayer, signed: false },
    { type: 'refund_address_set', address: payer, signed: true },
  ])
})

test('error: a first refund address after money was seen is the merchant’s to give', () => {
  const one = awaiting()
  one.see(370n)
  expect(one.refused({ type: 'choose', source: usdc, quote: quoteOf(), refundAddress: payer, signed: false })).toBe('refund_address_fixed')
})

test('behavior: dust in flight does not hold an expiry back', () => {
  const one = awaiting()
  one.see(20n)
  one.wait(day)
  one.tick()
  expect(one.order.status).toBe('EXPIRED')
})

test('behavior: expiry waits for money in flight', () => {
  const one = awaiting()
  one.see(370n)
  one.wait(day)
  expect(one.tick()).toEqual([])
  one.confirm()
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
})

test('behavior: an order nobody asked for expires after a day, one with instructions after half an hour', () => {
  const asked = awaiting()
  expect(nextTick(asked.order, policy)).toBe(t0 + 30 * minute)
  const one = story()
  expect(nextTick(one.order, policy)).toBe(t0 + day)
  one.wait(day - 1)
  expect(one.tick()).toEqual([])
  one.wait(1)
  one.tick()
  expect(one.statuses()).toEqual(['EXPIRED'])
})

test('behavior: PARTIAL_PAYMENT never expires; after seven days the merchant is told, once', () => {
  const one = awaiting()
  one.pay(370n)
  one.statuses()
  one.wait(30 * minute)
  expect(one.tick()).toEqual([])
  one.wait(7 * day)
  one.tick()
  expect(one.statuses()).toEqual(['PARTIAL_PAYMENT'])
  expect(nextTick(one.order, policy)).toBeUndefined()
  one.wait(30 * day)
  expect(one.tick()).toEqual([])
})

test('behavior: late money in the settlement asset is honoured', () => {
  const whole = awaiting()
  whole.wait(31 * minute)
  whole.tick()
  whole.pay(1000n)
  whole.settle()
  expect(whole.statuses()).toEqual(['EXPIRED', 'AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'COMPLETED'])
  const part = awaiting()
  part.wait(31 * minute)
  part.tick()
  part.pay(370n)
  expect(part.statuses()).toEqual(['EXPIRED', 'PARTIAL_PAYMENT'])
})
