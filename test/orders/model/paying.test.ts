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
} from './support.ts'

test('default: instructions, money seen, confirmed, settled', () => {
  const one = story()
  expect(one.order.status).toBe('PENDING')
  one.choose()
  const paid = one.see(1000n)
  expect(money(one)).toEqual({ required: 1000n, received: 0n, seen: 1000n, remaining: 1000n })
  one.confirm()
  one.settle()
  expect(one.statuses()).toEqual(['AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'EXECUTING_ORDER', 'COMPLETED'])
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
  expect(one.order.settlements[0]?.legs[0]?.to).toBe(shop)
  expect(stateOf(one, paid)).toBe('applied')
  checkWhole(one.order, one.log)
})

test('behavior: underpaid is PARTIAL_PAYMENT with the exact rest', () => {
  const one = awaiting()
  one.pay(370n)
  expect(one.statuses()).toEqual(['PARTIAL_PAYMENT'])
  expect(money(one)).toMatchObject({ received: 370n, remaining: 630n })
})

test('behavior: several transfers top an order up, and each that does not complete it is announced', () => {
  const one = awaiting()
  one.pay(370n)
  one.pay(100n)
  one.pay(29n)
  expect(one.statuses()).toEqual(['PARTIAL_PAYMENT', 'PARTIAL_PAYMENT', 'PARTIAL_PAYMENT'])
  one.see(501n)
  expect(one.statuses()).toEqual(['AWAITING_CONFIRMATION'])
  one.confirm()
  one.settle()
  expect(one.statuses()).toEqual(['EXECUTING_ORDER', 'COMPLETED'])
  expect(one.order.transfers.map((each) => each.state)).toEqual(['applied', 'applied', 'applied', 'applied'])
})

test('behavior: money seen and not yet confirmed is no part of what was received', () => {
  const one = awaiting()
  one.see(999n)
  expect(one.order.status).toBe('AWAITING_PAYMENT')
  expect(money(one)).toMatchObject({ received: 0n, seen: 999n })
})

test('behavior: a surplus goes back in the same transaction, less its gas, to the address the payer gave', () => {
  const one = awaiting({}, payer)
  one.pay(1100n)
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n, gas: 2n, refund: 98n })
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  expect(one.order.refunds).toMatchObject([{ amount: 100n, gas: 2n, gasTaken: 2n, address: payer, from: 'settlement', state: 'confirmed' }])
})

test('behavior: without a refund address a surplus stays, visibly, until the merchant names one', () => {
  const one = awaiting()
  one.pay(1100n)
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
  one.settle()
  expect(one.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
  one.choose({ refundAddress: payer, signed: true })
  expect(one.order.refunds).toMatchObject([{ amount: 100n, gas: 5n, from: 'deposit', state: 'pending' }])
})

test('behavior: a surplus that its gas would eat is held', () => {
  const one = awaiting({}, payer)
  one.pay(1002n)
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
  one.settle()
  expect(one.order.refunds).toEqual([])
})

test('behavior: short by no more than the tolerance completes, and the recipient bears it', () => {
  const one = awaiting({ toleranceBps: 100 })
  one.pay(990n)
  expect(legsOf(one)).toEqual({ recipient: 980n, fees: 10n })
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  const short = awaiting({ toleranceBps: 100 })
  short.pay(989n)
  expect(short.order.status).toBe('PARTIAL_PAYMENT')
})

test('behavior: no tolerance goes so far that fees eat everything', () => {
  const one = awaiting({ toleranceBps: 10_000 })
  one.pay(10n)
  expect(one.order.status).toBe('AWAITING_PAYMENT')
  one.pay(1n)
  expect(legsOf(one)).toEqual({ recipient: 1n, fees: 10n })
})

test('behavior: another token and another chain are seen, held with the reason, and change no status', () => {
  const one = awaiting()
  const token = one.pay(1000n, { asset: usdt })
  const chain = one.pay(1000n, { asset: usdcOnEthereum })
  expect([stateOf(one, token), stateOf(one, chain)]).toEqual(['held: wrong_token', 'held: wrong_chain'])
  expect(one.statuses()).toEqual([])
  one.pay(1000n)
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  expect([stateOf(one, token), stateOf(one, chain)]).toEqual(['held: wrong_token', 'held: wrong_chain'])
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

test('behavior: money that arrives while the settlement runs is held as surplus once it is done', () => {
  const one = awaiting()
  one.pay(1000n)
  const late = one.pay(50n)
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n })
  one.settle()
  expect(stateOf(one, late)).toBe('held: after_settlement')
  expect(one.order.status).toBe('COMPLETED')
})

test('behavior: money after COMPLETED goes back when there is an address, and is held when there is none', () => {
  const held = completed()
  expect(stateOf(held, held.pay(50n))).toBe('held: after_settlement')
  const back = completed(payer)
  const late = back.pay(50n)
  expect(back.order.refunds).toMatchObject([{ amount: 50n, address: payer, from: 'deposit', state: 'pending' }])
  back.refundOutcome()
  expect(stateOf(back, late)).toBe('refunded: after_settlement')
  expect(back.order.status).toBe('COMPLETED')
})

test('behavior: late money that alone is not worth its gas goes back with the next', () => {
  const one = completed(payer)
  one.pay(5n)
  expect(one.order.refunds).toEqual([])
  one.pay(5n)
  expect(one.order.refunds).toMatchObject([{ amount: 10n }])
})

test('behavior: what the merchant paid back in the meantime does not go back twice', () => {
  const one = completed(payer, 1001n)
  one.refund(1001n, { from: 'order' })
  one.pay(5n)
  expect(one.order.refunds).toHaveLength(1)
})

test('behavior: an address that refused its money is not tried again by itself', () => {
  const one = completed(payer)
  const late = one.pay(50n)
  one.refundOutcome('confirmed', [false, true])
  expect(one.order.refunds).toMatchObject([{ state: 'failed', gasTaken: 5n }])
  expect(stateOf(one, late)).toBe('held: after_settlement')
  one.pay(50n)
  expect(one.order.refunds).toHaveLength(1)
  one.choose({ refundAddress: otherPayer, signed: true })
  expect(one.order.refunds.at(-1)).toMatchObject({ amount: 95n, address: otherPayer, state: 'pending' })
})

test('behavior: native coin that only the balance shows is recorded by block range', () => {
  const one = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  const balance = (amount: bigint, block: number) =>
    one.tell({ type: 'balance', asset: ether, balance: amount, block, blockHash: `b${block}`, needed: 3, head: block + 2 })
  balance(400n, 120)
  expect(one.order.transfers).toMatchObject([
    { key: `8453:${one.order.depositAddress}:1-120`, txHash: 'balance:1-120', amount: 400n, state: 'confirmed' },
  ])
  balance(400n, 130)
  balance(1000n, 140)
  expect(one.order.transfers[1]).toMatchObject({ txHash: 'balance:121-140', amount: 600n })
  one.settle()
  expect(one.order.status).toBe('COMPLETED')
  balance(0n, 150)
  expect(one.order.transfers).toHaveLength(2)
})

test('behavior: a transfer that the balance already counted is not counted again when it is found', () => {
  const one = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  one.tell({ type: 'balance', asset: ether, balance: 400n, block: 120, blockHash: 'b120', needed: 3, head: 122 })
  one.see(400n, { asset: ether, block: 119 })
  expect(one.order.transfers).toHaveLength(1)
  one.see(400n, { asset: ether, block: 121 })
  expect(one.order.transfers).toHaveLength(2)
})

test('behavior: a balance waits while money is moving, and a refund that the merchant pays is no such thing', () => {
  const one = story({ asset: ether }, { quote: quoteOf({ source: ether, asset: ether }) })
  const sweep = (amount: bigint) =>
    one.tell({ type: 'balance', asset: ether, balance: amount, block: 150, blockHash: 'b150', needed: 3, head: 152 })
  one.pay(1000n, { asset: ether })
  expect(sweep(1500n)).toEqual([])
  one.settle()
  one.refund(1000n, { asset: ether, from: 'order' })
  sweep(500n)
  expect(one.order.transfers.at(-1)).toMatchObject({ amount: 500n, reason: 'after_settlement' })
})

test('behavior: an x402 payment is accepted before it is final, once, and only while it is confirming', () => {
  const one = awaiting()
  expect(one.tell({ type: 'accept_early', txHash: '0x1' })).toEqual([])
  one.see(1000n)
  one.tell({ type: 'accept_early', txHash: '0x1' })
  one.confirm()
  one.settle()
  expect(one.statuses()).toEqual(['AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'EXECUTING_ORDER', 'COMPLETED'])
})

test('behavior: money in the settlement asset is applied, whatever was asked for last', () => {
  const one = awaiting()
  one.choose({ source: ether, quote: etherQuote() })
  one.pay(1000n)
  expect(running(one.order)?.legs).toMatchObject([{ role: 'recipient', amount: 990n }, { role: 'fees' }])
  expect(one.order.quotes.find((each) => each.id === one.order.fixedQuote)?.source).toEqual(usdc)
})

test('behavior: money in a currency that is asked for only later counts then', () => {
  const one = awaiting()
  const paid = one.pay(2000n, { asset: ether })
  expect(stateOf(one, paid)).toBe('held: wrong_token')
  one.choose({ source: ether, quote: etherQuote() })
  expect(one.order.status).toBe('PARTIAL_PAYMENT')
  expect(money(one)).toMatchObject({ required: 5000n, received: 2000n, remaining: 3000n })
})

test('behavior: every gas that money back costs is the rules’', () => {
  const one = story({}, { costs: { ...policy, legGas: () => 0n } })
  one.choose({ refundAddress: payer })
  one.pay(1001n)
  expect(legsOf(one)).toEqual({ recipient: 990n, fees: 10n, refund: 1n })
})
