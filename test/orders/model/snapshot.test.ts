import { expect, test } from 'vitest'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { OrderRead } from '../../../src/wire/order-read.ts'
import { Order as WireOrder } from '../../../src/wire/order.ts'
import { checkSnapshot } from './invariants.ts'
import { awaiting, completed, day, ether, etherQuote, minute, payer, quoteOf, releaseAt, type Story, story, usdt } from './support.ts'

const shown = ({ order }: Story) => snapshot(order)

test('default: before instructions are requested there is no payment', () => {
  expect(shown(story())).toMatchObject({ status: 'PENDING', payment: undefined, fulfillment: { amount: { raw: '990', ui: '0.00099' } } })
})

test('behavior: instructions state what to send where, and the parts add up', () => {
  const { payment } = shown(awaiting({}, payer))
  expect(payment?.steps).toMatchObject([{ kind: 'deposit', data: { deposit_address: `0x${'d'.repeat(40)}`, amount: '1000' } }])
  const breakdown = payment?.input?.breakdown
  const raw = (amount?: { raw: string }) => BigInt(amount?.raw ?? -1)
  expect(raw(breakdown?.base) + raw(breakdown?.fees.total_fee) + raw(breakdown?.gas)).toBe(raw(breakdown?.total))
  expect(raw(breakdown?.fees.custom_fee) + raw(breakdown?.fees.protocol_fee) + raw(breakdown?.fees.relayer_fee)).toBe(
    raw(breakdown?.fees.total_fee),
  )
  expect(payment?.output?.amount.raw).toBe('990')
  expect(payment?.refund).toEqual({ address: payer })
})

test('behavior: a currency has the price of its quote, and the price that the fiat currency had then', () => {
  const sale = story()
  sale.choose({ source: ether, quote: { ...etherQuote(), fiatUsd: '1.0652' } })
  const order = shown(sale)
  const priced = { price_usd: 3000, fiat_unit_usd: '1.0652' }
  expect(order.payment?.input?.currency).toMatchObject(priced)
  expect(order.payment?.steps).toMatchObject([{ data: { currency: priced } }])
  expect(shown(awaiting()).payment?.input?.currency.fiat_unit_usd).toBeUndefined()
})

test("behavior: the duration is the quote's, and a guess for quotes from before it was measured", () => {
  const guessed = awaiting()
  expect(shown(guessed).payment?.estimated_duration_seconds).toBe(30)
  const measured = story()
  measured.choose({ source: usdt, quote: quoteOf({ source: usdt, seconds: 288 }) })
  expect(shown(measured).payment?.estimated_duration_seconds).toBe(288)
})

test('behavior: each transfer is shown in its state with its confirmations', () => {
  const story = awaiting()
  story.pay(370n)
  story.see(100n)
  expect(shown(story).payment?.funding).toMatchObject({
    required_amount: { raw: '1000' },
    received_amount: { raw: '370' },
    remaining_amount: { raw: '630' },
    transactions: [
      { state: 'confirmed', confirmations: 3, required_confirmations: 3, chain_id: 8453 },
      { state: 'seen', confirmations: 1 },
    ],
  })
})

test('behavior: a vanished transfer is not shown', () => {
  const story = awaiting()
  story.vanish(story.see(370n))
  expect(shown(story).payment?.funding?.transactions).toEqual([])
})

test('behavior: a settled order has nothing due, even after a partial refund', () => {
  const story = completed(undefined, 1100n)
  story.refund(100n)
  story.refundOutcome()
  expect(shown(story).payment).toMatchObject({
    destination_tx_hash: '0x5e77s1',
    fee_tx_hash: '0x5e77s1',
    surplus: { raw: '100' },
    refunds: [{ state: 'confirmed', amount: { raw: '100' } }],
    funding: { remaining_amount: { raw: '0' } },
  })
})

test('behavior: a failed order says that the money is held and until when, or that it is being refunded', () => {
  const story = awaiting({}, payer)
  story.pay(1100n)
  story.settle('failed')
  expect(shown(story).payment).toMatchObject({
    refund: { reason: 'held: The token refused.' },
    held_until: new Date(releaseAt).toISOString(),
  })
  story.refund(1100n, { reason: 'We are sold out.' })
  expect(shown(story).payment?.refund).toMatchObject({ address: payer, reason: 'We are sold out.' })
})

test('behavior: where no contract binds the address, the merchant decides within a day of the last failure', () => {
  const coin = { chainId: 20000000000001, address: null, symbol: 'BTC', name: 'Bitcoin', decimals: 8 } as const
  const sale = awaiting({ asset: coin }, undefined, { quote: quoteOf({ source: coin, asset: coin }), binding: 'none' })
  sale.pay(1000n)
  sale.settle('failed')
  expect(snapshot({ ...sale.order, deposits: { bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } }).payment?.held_until).toBe(
    new Date(sale.now + day).toISOString(),
  )
})

test('behavior: money known only from the balance links to the address', () => {
  const sale = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  sale.handle({ type: 'balance', asset: ether, balance: 400n, at: { height: 120, id: 'b120' }, needed: 3 })
  const { payment } = shown(sale)
  expect(payment?.source_tx_hash).toBeUndefined()
  expect(payment?.funding?.transactions[0]?.explorer_url).toBe(`https://basescan.org/address/0x${'d'.repeat(40)}`)
})

test('behavior: every state is written by the service and read by the page', () => {
  const partial = awaiting()
  partial.pay(370n)
  const expired = awaiting()
  expired.wait(31 * minute)
  expired.tick()
  const stray = awaiting()
  stray.pay(5n, { asset: usdt })
  const converted = awaiting()
  converted.choose({ source: ether, quote: etherQuote() })
  for (const { order } of [story(), awaiting(), partial, expired, stray, converted, completed(), completed(payer, 1100n)]) {
    checkSnapshot(order)
    const wire: unknown = JSON.parse(JSON.stringify(snapshot(order)))
    expect(WireOrder.safeParse(wire).success).toBe(true)
    expect(OrderRead.parse(wire)).toMatchObject({ status: order.status, updated_at: new Date(order.updatedAt).toISOString() })
  }
})
