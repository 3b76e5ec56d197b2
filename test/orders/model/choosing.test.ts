import { expect, test } from 'vitest'
import { takesAuthorization, walletAmounts } from '../../../server/orders/model/choosing.ts'
import { closing, funding, quoteInForce } from '../../../server/orders/model/funding.ts'
import { assetToPrice } from '../../../server/orders/model/repricing.ts'
import { nextTick } from '../../../server/orders/model/ticking.ts'
import {
  awaiting,
  completed,
  day,
  ether,
  etherQuote,
  minute,
  otherPayer,
  payer,
  quoteOf,
  policy,
  story,
  t0,
  usdc,
  plain,
} from './support.ts'

const chosen = ({ order }: ReturnType<typeof story>) => order.quotes.find((quote) => quote.id === (order.fixedQuote ?? order.activeQuote))

test('default: the first choice gives instructions and starts the clock', () => {
  const sale = story()
  sale.choose()
  expect(sale.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: t0 + 30 * minute, activeQuote: 1, instructedAt: t0 })
})

test('behavior: the same choice again gives the same instructions', () => {
  const story = awaiting()
  story.wait(minute)
  expect(story.choose()).toEqual([])
  expect(story.order.activeQuote).toBe(1)
})

test('behavior: another source is another quote of the same order, with the same deadline', () => {
  const story = awaiting()
  story.wait(minute)
  story.choose({ source: ether, quote: etherQuote() })
  expect(story.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: t0 + 30 * minute, activeQuote: 2 })
  story.choose()
  expect(story.order.activeQuote).toBe(1)
  expect(story.order.quotes).toHaveLength(3)
})

test('behavior: the first quoted currency whose confirmed money covers its quote fixes the order', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.choose()
  story.see(5000n, { asset: ether })
  expect(story.order.fixedQuote).toBeUndefined()
  expect(story.order.status).toBe('AWAITING_CONFIRMATION')
  expect(quoteInForce(story.order).source).toEqual(ether)
  story.confirm()
  expect(chosen(story)?.source).toEqual(ether)
})

test('behavior: dust in one currency, then the whole in another: the other completes the order', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  const dust = story.pay(10n)
  story.pay(5000n, { asset: ether })
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
  expect(story.order.transfers.find(({ key }) => key === dust.key)).toMatchObject({ state: 'held', reason: 'other_source' })
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'COMPLETED'])
})

test('behavior: dust fixes no source, and lowers the amount due in its own currency', () => {
  const story = awaiting()
  story.pay(49n)
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  expect(funding(story.order)).toMatchObject({ received: 49n, remaining: 951n })
  story.choose({ source: ether, quote: etherQuote() })
  expect(funding(story.order)).toMatchObject({ received: 0n, remaining: 5000n })
  expect(takesAuthorization(story.order, story.now)).toBe(true)
  story.wait(31 * minute)
  story.tick()
  expect(story.order.status).toBe('EXPIRED')
  expect(story.order.transfers).toMatchObject([{ state: 'held', reason: 'too_little' }])
  story.choose()
  story.pay(951n)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: amounts of two currencies are never added', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.see(900n)
  story.see(4500n, { asset: ether })
  story.confirm()
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  expect(quoteInForce(story.order).source).toEqual(usdc)
  story.pay(500n, { asset: ether })
  expect(quoteInForce(story.order).source).toEqual(ether)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
  expect(story.order.transfers.find(({ amount }) => amount === 900n)).toMatchObject({ state: 'held', reason: 'other_source' })
})

test('behavior: seen money that covers its quote closes the other sources until it vanishes', () => {
  const story = awaiting()
  const seen = story.see(1000n)
  expect(takesAuthorization(story.order, story.now)).toBe(false)
  expect(closing(story.order)?.because).toBe('covered')
  story.vanish(seen)
  story.choose({ source: ether, quote: etherQuote() })
  expect(takesAuthorization(story.order, story.now)).toBe(true)
})

test('behavior: a wallet pays everything, or what is left once a payment has begun, and nothing that is on its way', () => {
  const story = awaiting()
  const due = () => walletAmounts(story.order, story.now)
  expect(due()).toEqual({ whole: 1000n })
  story.pay(40n)
  // A small test transfer closes nothing, so a signature may still pay everything.
  expect(due()).toEqual({ whole: 1000n, rest: 960n })
  const early = story.see(460n)
  expect(due()).toEqual({ whole: 1000n, rest: 500n })
  story.confirm()
  expect(early && story.order.status).toBe('PARTIAL_PAYMENT')
  expect(due()).toEqual({ rest: 500n })
  const seen = story.see(200n)
  expect(due()).toEqual({ rest: 300n })
  story.vanish(seen)
  expect(due()).toEqual({ rest: 500n })
  story.wait(31 * minute)
  story.tick()
  // The price of what is left does not move.
  expect([story.order.status, due()]).toEqual(['PARTIAL_PAYMENT', { rest: 500n }])
  story.see(500n)
  expect(due()).toEqual({})
  story.confirm()
  story.settle()
  expect([story.order.status, due()]).toEqual(['COMPLETED', {}])
})

test('behavior: an expired quote without a payment is dropped, a live one never', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  for (let round = 0; round < 20; round++) {
    story.wait(31 * minute)
    story.tick()
    story.choose(round % 2 === 0 ? {} : { source: ether, quote: etherQuote() })
  }
  expect(story.order.quotes.length).toBeLessThanOrEqual(3)
  expect(new Set(story.order.quotes.map(({ id }) => id)).size).toBe(story.order.quotes.length)
})

test('behavior: a live quote is returned unchanged, whatever slippage is requested', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  expect(story.choose({ source: ether, quote: { ...etherQuote(), slippageBps: 300 } })).toEqual([])
})

test('behavior: an expired quote that converts does not apply to later money', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.wait(31 * minute)
  story.tick()
  const late = story.pay(5000n, { asset: ether })
  expect(story.order.fixedQuote).toBeUndefined()
  expect(story.order.transfers.find((each) => each.key === late.key)).toMatchObject({ state: 'held', reason: 'no_price' })
  story.choose({ source: ether, quote: etherQuote(6000n) })
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  expect(chosen(story)?.input.total).toBe(6000n)
})

test('error: another source is refused after a payment has begun', () => {
  const story = awaiting()
  story.pay(370n)
  expect(story.refused({ type: 'choose', source: ether, quote: etherQuote(), signed: false })).toBe('source_fixed')
  expect(story.choose()).toEqual([])
})

test('behavior: when a reorganisation drops the payment that had begun, every source is free again', () => {
  const story = awaiting()
  const paid = story.pay(370n)
  story.vanish(paid)
  expect(story.order.fixedQuote).toBeUndefined()
  story.choose({ source: ether, quote: etherQuote() })
  expect(chosen(story)?.source).toEqual(ether)
})

test('behavior: a signed authorisation reserves the order while it is in flight, and frees it once it can no longer move money', () => {
  const story = awaiting()
  story.handle({ type: 'authorized', quoteId: 1 })
  expect(story.refused({ type: 'choose', source: ether, quote: etherQuote(), signed: false })).toBe('source_fixed')
  expect(story.order.fixedQuote).toBeUndefined()
  story.handle({ type: 'unauthorized' })
  story.choose({ source: ether, quote: etherQuote() })
  expect(chosen(story)?.source).toEqual(ether)
})

test('behavior: a payment signed while its quote was live is on time, however late its transaction is', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.handle({ type: 'authorized', quoteId: story.order.activeQuote })
  story.wait(31 * minute)
  expect(story.tick()).toEqual([])
  story.pay(5000n, { asset: ether })
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: an outdated signature does not keep an order from expiring', () => {
  const story = awaiting()
  story.handle({ type: 'authorized', quoteId: story.order.activeQuote })
  story.wait(31 * minute)
  expect(story.tick()).toEqual([])
  story.wait(60 * minute)
  story.tick()
  expect(story.order.status).toBe('EXPIRED')
  expect(story.order.claimedQuote).toBeUndefined()
})

test('behavior: after a signed payment that came to nothing, the first choice gets no longer price than any other', () => {
  const sale = story()
  sale.handle({ type: 'authorized', quoteId: 0 })
  sale.handle({ type: 'unauthorized' })
  expect(sale.order.status).toBe('PENDING')
  sale.choose({ source: ether, quote: etherQuote() })
  expect(sale.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: t0 + 30 * minute })
  expect(chosen(sale)?.expiresAt).toBe(t0 + 30 * minute)
})

test('behavior: money that came while a signed payment kept its price valid still counts when that payment comes to nothing', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.handle({ type: 'authorized', quoteId: story.order.activeQuote })
  story.wait(31 * minute)
  story.pay(1000n, { asset: ether })
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  story.handle({ type: 'unauthorized' })
  expect(story.order).toMatchObject({ status: 'PARTIAL_PAYMENT', transfers: [{ state: 'confirmed' }] })
})

test('behavior: money that was held without a price counts once there is one, and is priced once', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.wait(31 * minute)
  story.tick()
  story.pay(1000n, { asset: ether })
  expect(story.order).toMatchObject({ status: 'EXPIRED', transfers: [{ state: 'held', reason: 'no_price' }] })
  story.wait(minute)
  story.handle({ type: 'tick', quote: etherQuote(5500n) })
  expect(story.order).toMatchObject({ status: 'PARTIAL_PAYMENT', transfers: [{ state: 'confirmed' }] })
  expect(assetToPrice(story.order, story.now + minute)).toBeUndefined()
})

test('behavior: what a reorganisation left of a payment that has begun still fixes its source', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.pay(200n, { asset: ether })
  const gone = story.pay(300n, { asset: ether })
  story.vanish(gone)
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  expect(story.refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('source_fixed')
})

test('behavior: late money is priced and its reminder sent by one tick, if both are due', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.wait(9 * day)
  story.tick()
  story.pay(1000n, { asset: ether })
  expect(story.order).toMatchObject({ status: 'EXPIRED', transfers: [{ state: 'held', reason: 'no_price' }] })
  story.handle({ type: 'tick', quote: etherQuote() })
  expect(story.order).toMatchObject({ status: 'PARTIAL_PAYMENT', remindedAt: story.now })
})

test('behavior: little money on an expired order is held, also while a signed payment may still arrive', () => {
  const story = awaiting()
  story.handle({ type: 'authorized', quoteId: story.order.activeQuote })
  const gone = story.see(1000n)
  story.wait(31 * minute)
  story.vanish(gone)
  expect(story.order.status).toBe('EXPIRED')
  const dust = story.pay(1n)
  expect(story.order.transfers.find(({ key }) => key === dust.key)).toMatchObject({ state: 'held', reason: 'too_little' })
  story.pay(999n)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: late money held without a price is priced as soon as there is one', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.wait(31 * minute)
  story.tick()
  story.pay(6000n, { asset: ether })
  expect(story.order).toMatchObject({ status: 'EXPIRED', transfers: [{ state: 'held', reason: 'no_price' }] })
  expect(nextTick(story.order, policy)).toBe(story.order.updatedAt + minute)
  story.wait(minute)
  story.handle({ type: 'tick', quote: etherQuote(5500n) })
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: on EXPIRED with nothing received a new quote restarts the clock', () => {
  const story = awaiting()
  story.wait(31 * minute)
  story.tick()
  expect(story.order.status).toBe('EXPIRED')
  story.choose({ quote: quoteOf({ input: { base: 1000n, custom: 0n, protocol: 0n, relayer: 0n, gas: 0n, total: 1000n } }) })
  expect(story.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: story.now + 30 * minute })
  expect(story.order.activeQuote).toBe(2)
})

test('behavior: a new quote restarts the clock also after money was lost to a reorganisation', () => {
  const story = awaiting()
  story.vanish(story.see(370n))
  story.wait(31 * minute)
  story.tick()
  story.choose()
  expect(story.order).toMatchObject({ status: 'AWAITING_PAYMENT', expiresAt: story.now + 30 * minute })
})

test('behavior: an expired order counts as expired for a new quote even before its tick', () => {
  const story = awaiting()
  story.wait(30 * minute)
  story.choose()
  expect(story.order).toMatchObject({ status: 'AWAITING_PAYMENT', activeQuote: 2, expiresAt: story.now + 30 * minute })
})

test('error: a settling or settled order refuses another choice', () => {
  expect(completed().refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('not_payable')
  const confirming = awaiting()
  confirming.see(1000n)
  expect(confirming.refused({ type: 'choose', source: usdc, quote: quoteOf(), signed: false })).toBe('not_payable')
})

test('behavior: in its last minutes an order can be extended at the same price, three times', () => {
  const story = awaiting()
  for (let times = 1; times <= 3; times++) {
    story.wait(story.order.expiresAt - story.now - 5 * minute)
    story.handle({ type: 'extend', quote: undefined })
    expect(story.order).toMatchObject({ extensions: times, expiresAt: t0 + (1 + times) * 30 * minute, activeQuote: 1 })
  }
  story.wait(26 * minute + 5 * minute)
  expect(story.refused({ type: 'extend', quote: undefined })).toBe('too_often')
})

test('behavior: an extended order that converts gets a new price', () => {
  const sale = story()
  sale.choose({ source: ether, quote: etherQuote() })
  sale.wait(26 * minute)
  sale.handle({ type: 'extend', quote: etherQuote(5100n) })
  expect(chosen(sale)?.input.total).toBe(5100n)
})

test('error: extending too early, too late, or on an order that cannot be paid is refused', () => {
  const sale = awaiting()
  expect(sale.refused({ type: 'extend', quote: undefined })).toBe('too_early')
  sale.wait(30 * minute)
  expect(sale.refused({ type: 'extend', quote: undefined })).toBe('not_payable')
  sale.tick()
  expect(sale.refused({ type: 'extend', quote: undefined })).toBe('not_payable')
  expect(story().refused({ type: 'extend', quote: undefined })).toBe('not_payable')
})

test('behavior: the time can be shortened, also before a way to pay is chosen, and is never extended so', () => {
  const sale = awaiting()
  const before = sale.order.expiresAt
  sale.handle({ type: 'shorten', expiresAt: before + minute })
  expect(sale.order.expiresAt).toBe(before)
  sale.handle({ type: 'shorten', expiresAt: before - minute })
  expect(sale.order.expiresAt).toBe(before - minute)
  expect(sale.order.extensions).toBe(0)
  const pending = story()
  pending.handle({ type: 'shorten', expiresAt: t0 })
  pending.tick()
  expect(pending.order.status).toBe('EXPIRED')
})

test('behavior: no price is held for longer than the shortened time', () => {
  const sale = story()
  sale.choose({ source: ether, quote: etherQuote() })
  sale.choose()
  sale.handle({ type: 'shorten', expiresAt: t0 + minute })
  expect(sale.order.quotes.map(({ expiresAt }) => expiresAt)).toEqual([t0 + minute, t0 + minute])
})

test('error: once a transfer has been seen, or nothing is awaited, the time cannot be shortened', () => {
  const sale = awaiting()
  sale.see(370n)
  expect(sale.refused({ type: 'shorten', expiresAt: t0 })).toBe('not_payable')
  const expired = awaiting()
  expired.wait(30 * minute)
  expired.tick()
  expect(expired.refused({ type: 'shorten', expiresAt: t0 })).toBe('not_payable')
})

test('behavior: anyone may change the refund address until money is seen, afterwards only the merchant', () => {
  const story = awaiting({}, payer)
  story.choose({ refundAddress: plain(otherPayer) })
  expect(story.order.refundAddress).toBe(otherPayer)
  story.see(370n)
  expect(story.refused({ type: 'choose', source: usdc, quote: quoteOf(), refundAddress: plain(payer), signed: false })).toBe(
    'refund_address_fixed',
  )
  expect(story.choose({ refundAddress: plain(otherPayer) })).toEqual([])
  story.choose({ refundAddress: plain(payer), signed: true })
  expect(story.log.filter(({ fact }) => fact.type === 'refund_address_set').map(({ fact }) => fact)).toEqual([
    { type: 'refund_address_set', ...plain(payer), signed: false },
    { type: 'refund_address_set', ...plain(otherPayer), signed: false },
    { type: 'refund_address_set', ...plain(payer), signed: true },
  ])
})

test('error: after money was seen only the merchant may set the first refund address', () => {
  const story = awaiting()
  story.see(370n)
  expect(story.refused({ type: 'choose', source: usdc, quote: quoteOf(), refundAddress: plain(payer), signed: false })).toBe(
    'refund_address_fixed',
  )
})

test('behavior: dust in flight does not delay expiry', () => {
  const story = awaiting()
  story.see(20n)
  story.wait(day)
  story.tick()
  expect(story.order.status).toBe('EXPIRED')
})

test('behavior: expiry waits for money in flight', () => {
  const story = awaiting()
  story.see(370n)
  story.wait(day)
  expect(story.tick()).toEqual([])
  story.confirm()
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
})

test('behavior: an order without instructions expires after a day, one with instructions after half an hour', () => {
  const withInstructions = awaiting()
  expect(nextTick(withInstructions.order, policy)).toBe(t0 + 30 * minute)
  const sale = story()
  expect(nextTick(sale.order, policy)).toBe(t0 + day)
  sale.wait(day - 1)
  expect(sale.tick()).toEqual([])
  sale.wait(1)
  sale.tick()
  expect(sale.statuses()).toEqual(['EXPIRED'])
})

test('behavior: PARTIAL_PAYMENT never expires, and after seven days the merchant is notified once', () => {
  const story = awaiting()
  story.pay(370n)
  story.statuses()
  story.wait(30 * minute)
  expect(story.tick()).toEqual([])
  story.wait(7 * day)
  story.tick()
  expect(story.statuses()).toEqual(['PARTIAL_PAYMENT'])
  expect(nextTick(story.order, policy)).toBeUndefined()
  story.wait(30 * day)
  expect(story.tick()).toEqual([])
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

test('behavior: an order that was extended in between keeps the price that it has, where no fresh one was asked for', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.choose()
  story.wait(27 * minute)
  story.handle({ type: 'extend', quote: undefined })
  const asked = story.order.quotes.findLast(({ source }) => source === ether)!
  expect(asked.expiresAt).toBeLessThan(story.order.expiresAt)
  story.choose({ source: ether, quote: undefined })
  expect(story.order.activeQuote).toBe(asked.id)
})
