import { expect, test } from 'vitest'
import { checkWhole } from './invariants.ts'
import {
  awaiting,
  completed,
  ether,
  etherQuote,
  legsOf,
  money,
  otherPayer,
  payer,
  quoteOf,
  policy,
  running,
  shop,
  stateOf,
  story,
  usdc,
  usdcOnEthereum,
  usdt,
  plain,
} from './support.ts'

test('default: instructions, money seen, confirmed, settled', () => {
  const sale = story()
  expect(sale.order.status).toBe('PENDING')
  sale.choose()
  const paid = sale.see(1000n)
  expect(money(sale)).toEqual({ required: 1000n, received: 0n, seen: 1000n, remaining: 1000n })
  sale.confirm()
  sale.settle()
  expect(sale.statuses()).toEqual(['AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'COMPLETED'])
  expect(legsOf(sale)).toEqual({ recipient: 990n, fees: 10n })
  expect(sale.order.settlements[0]?.legs[0]?.to).toBe(shop)
  expect(stateOf(sale, paid)).toBe('applied')
  checkWhole(sale.order, sale.log)
})

test('behavior: underpaid is PARTIAL_PAYMENT with the exact rest', () => {
  const story = awaiting()
  story.pay(370n)
  expect(story.statuses()).toEqual(['PARTIAL_PAYMENT'])
  expect(money(story)).toMatchObject({ received: 370n, remaining: 630n })
})

test('behavior: several transfers top an order up, and each incomplete one is announced', () => {
  const story = awaiting()
  story.pay(370n)
  story.pay(100n)
  story.pay(29n)
  expect(story.statuses()).toEqual(['PARTIAL_PAYMENT', 'PARTIAL_PAYMENT', 'PARTIAL_PAYMENT'])
  story.see(501n)
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION'])
  story.confirm()
  story.settle()
  expect(story.statuses()).toEqual(['EXECUTING_ORDER', 'COMPLETED'])
  expect(story.order.transfers.map((each) => each.state)).toEqual(['applied', 'applied', 'applied', 'applied'])
})

test('behavior: money seen but not confirmed is not counted as received', () => {
  const story = awaiting()
  story.see(999n)
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  expect(money(story)).toMatchObject({ received: 0n, seen: 999n })
})

test('behavior: a surplus goes back to the payer’s address once the order is completed, less the gas of sending it', () => {
  const story = awaiting({}, payer)
  story.pay(1100n)
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  expect(story.order.refunds).toEqual([])
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
  expect(story.order.refunds).toMatchObject([
    { amount: 100n, gas: 5n, address: payer, from: 'deposit', reason: 'overpaid', state: 'pending' },
  ])
  story.refundOutcome()
  expect(story.order.refunds).toMatchObject([{ gasTaken: 5n, state: 'confirmed' }])
  expect(story.order.status).toBe('COMPLETED')
  checkWhole(story.order, story.log)
})

test('behavior: without a refund address a surplus is held and shown until the merchant names one', () => {
  const story = awaiting()
  story.pay(1100n)
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  story.settle()
  expect(story.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
  story.choose({ refundAddress: plain(payer), signed: true })
  expect(story.order.refunds).toMatchObject([{ amount: 100n, gas: 5n, from: 'deposit', state: 'pending' }])
})

test('behavior: a surplus below its gas cost is held', () => {
  const story = awaiting({}, payer)
  story.pay(1005n)
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  story.settle()
  expect(story.order.refunds).toEqual([])
})

test('behavior: a shortfall within the tolerance completes, and the recipient bears it', () => {
  const story = awaiting({ toleranceBps: 100 })
  story.pay(990n)
  expect(legsOf(story)).toEqual({ recipient: 980n, fees: 10n })
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
  const short = awaiting({ toleranceBps: 100 })
  short.pay(989n)
  expect(short.order.status).toBe('PARTIAL_PAYMENT')
})

test('behavior: no tolerance lets the fees consume the whole amount', () => {
  const story = awaiting({ toleranceBps: 10_000 })
  story.pay(10n)
  expect(story.order.status).toBe('AWAITING_PAYMENT')
  story.pay(1n)
  expect(legsOf(story)).toEqual({ recipient: 1n, fees: 10n })
})

test('behavior: money of another token or on another chain is seen, held with the reason, and changes no status', () => {
  const story = awaiting()
  const token = story.pay(1000n, { asset: usdt })
  const chain = story.pay(1000n, { asset: usdcOnEthereum })
  expect([stateOf(story, token), stateOf(story, chain)]).toEqual(['held: wrong_token', 'held: wrong_chain'])
  expect(story.statuses()).toEqual([])
  story.pay(1000n)
  story.settle()
  expect(story.order.status).toBe('COMPLETED')
  expect([stateOf(story, token), stateOf(story, chain)]).toEqual(['held: wrong_token', 'held: wrong_chain'])
})

test('behavior: money that arrives before any instructions counts', () => {
  const part = story()
  part.pay(370n)
  expect(part.statuses()).toEqual(['AWAITING_PAYMENT', 'PARTIAL_PAYMENT'])
  const whole = story()
  whole.pay(1000n)
  expect(whole.statuses()).toEqual(['AWAITING_CONFIRMATION', 'EXECUTING_ORDER'])
  const stray = story()
  stray.pay(1000n, { asset: usdt })
  expect(stray.order.status).toBe('PENDING')
})

test('behavior: money that arrives during the settlement is held as surplus once it is done', () => {
  const story = awaiting()
  story.pay(1000n)
  const late = story.pay(50n)
  expect(legsOf(story)).toEqual({ recipient: 990n, fees: 10n })
  story.settle()
  expect(stateOf(story, late)).toBe('held: after_settlement')
  expect(story.order.status).toBe('COMPLETED')
})

test('behavior: once another order pays the invoice, a small sum that has come is held, or refunded when there is an address', () => {
  const held = awaiting()
  const small = held.pay(40n)
  expect(stateOf(held, small)).toBe('confirmed')
  held.handle({ type: 'supersede', by: 'ord_2' })
  expect(stateOf(held, small)).toBe('held: after_settlement')
  expect(held.order).toMatchObject({ status: 'EXPIRED', refunds: [] })
  held.choose({ refundAddress: plain(payer), signed: true })
  held.refundOutcome()
  expect(stateOf(held, small)).toBe('refunded: after_settlement')

  const back = awaiting()
  back.choose({ refundAddress: plain(payer) })
  back.pay(40n)
  back.handle({ type: 'supersede', by: 'ord_2' })
  expect(back.order.refunds).toMatchObject([{ amount: 40n, address: payer, from: 'deposit', state: 'pending' }])
})

test('behavior: money after COMPLETED is refunded when there is an address, and otherwise held', () => {
  const held = completed()
  expect(stateOf(held, held.pay(50n))).toBe('held: after_settlement')
  const back = completed(payer)
  const late = back.pay(50n)
  expect(back.order.refunds).toMatchObject([{ amount: 50n, address: payer, from: 'deposit', state: 'pending' }])
  back.refundOutcome()
  expect(stateOf(back, late)).toBe('refunded: after_settlement')
  expect(back.order.status).toBe('COMPLETED')
})

test('behavior: late money below its gas cost is refunded together with the next', () => {
  const story = completed(payer)
  story.pay(5n)
  expect(story.order.refunds).toEqual([])
  story.pay(5n)
  expect(story.order.refunds).toMatchObject([{ amount: 10n }])
})

test('behavior: money that the merchant refunded in the meantime is not refunded twice', () => {
  const story = completed(payer, 1001n)
  story.refund(1001n, { from: 'order' })
  story.pay(5n)
  expect(story.order.refunds).toHaveLength(1)
})

test('behavior: an address that refused its money is not retried automatically', () => {
  const story = completed(payer)
  const late = story.pay(50n)
  story.refundOutcome('confirmed', [false, true])
  expect(story.order.refunds).toMatchObject([{ state: 'failed', gasTaken: 5n }])
  expect(stateOf(story, late)).toBe('held: after_settlement')
  story.pay(50n)
  expect(story.order.refunds).toHaveLength(1)
  story.choose({ refundAddress: plain(otherPayer), signed: true })
  expect(story.order.refunds.at(-1)).toMatchObject({ amount: 95n, address: otherPayer, state: 'pending' })
})

test('behavior: native coin known only from the balance is recorded by block range', () => {
  const sale = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  const balance = (amount: bigint, block: number) =>
    sale.handle({ type: 'balance', asset: ether, balance: amount, at: { height: block, id: `b${block}` }, needed: 3 })
  balance(400n, 120)
  expect(sale.order.transfers).toMatchObject([
    { key: `8453:${sale.order.deposits.evm}:1-120`, txHash: 'balance:1-120', amount: 400n, state: 'confirmed' },
  ])
  balance(400n, 130)
  balance(1000n, 140)
  expect(sale.order.transfers[1]).toMatchObject({ txHash: 'balance:121-140', amount: 600n })
  sale.settle()
  expect(sale.order.status).toBe('COMPLETED')
  balance(0n, 150)
  expect(sale.order.transfers).toHaveLength(2)
})

test('behavior: a transfer that the balance already counted is not counted again when it is found', () => {
  const sale = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  sale.handle({ type: 'balance', asset: ether, balance: 400n, at: { height: 120, id: 'b120' }, needed: 3 })
  sale.see(400n, { asset: ether, block: 119 })
  expect(sale.order.transfers).toHaveLength(1)
  sale.see(400n, { asset: ether, block: 121 })
  expect(sale.order.transfers).toHaveLength(2)
})

test('behavior: a balance is ignored while money is moving, except during a refund that the merchant pays', () => {
  const sale = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  const sweep = (amount: bigint) =>
    sale.handle({ type: 'balance', asset: ether, balance: amount, at: { height: 150, id: 'b150' }, needed: 3 })
  sale.pay(1000n, { asset: ether })
  expect(sweep(1500n)).toEqual([])
  sale.settle()
  sale.refund(1000n, { asset: ether, from: 'order' })
  sweep(500n)
  expect(sale.order.transfers.at(-1)).toMatchObject({ amount: 500n, reason: 'after_settlement' })
})

test('behavior: an x402 payment is accepted before it is final, once, and only while it is confirming', () => {
  const story = awaiting()
  expect(story.handle({ type: 'accept_early', txHash: '0x1' })).toEqual([])
  story.see(1000n)
  story.handle({ type: 'accept_early', txHash: '0x1' })
  story.confirm()
  story.settle()
  expect(story.statuses()).toEqual(['AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'EXECUTING_ORDER', 'COMPLETED'])
})

test('behavior: money in the settlement asset is applied, whatever source was chosen last', () => {
  const story = awaiting()
  story.choose({ source: ether, quote: etherQuote() })
  story.pay(1000n)
  expect(running(story.order)?.legs).toMatchObject([{ role: 'recipient', amount: 990n }, { role: 'fees' }])
  expect(story.order.quotes.find((each) => each.id === story.order.fixedQuote)?.source).toEqual(usdc)
})

test('behavior: money in a currency that is chosen later counts from then on', () => {
  const story = awaiting()
  const paid = story.pay(2000n, { asset: ether })
  expect(stateOf(story, paid)).toBe('held: wrong_token')
  story.choose({ source: ether, quote: etherQuote() })
  expect(story.order.status).toBe('PARTIAL_PAYMENT')
  expect(money(story)).toMatchObject({ required: 5000n, received: 2000n, remaining: 3000n })
})

test('behavior: the gas of a surplus’s refund comes from the policy', () => {
  const sale = story({}, { costs: { ...policy, refundGas: () => 0n } })
  sale.choose({ refundAddress: plain(payer) })
  sale.pay(1001n)
  sale.settle()
  expect(sale.order.refunds).toMatchObject([{ amount: 1n, gas: 0n }])
})
