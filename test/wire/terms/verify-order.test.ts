import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifyOrder } from '../../../src/wire/terms/verify-order.ts'
import { full } from '../../support/full.ts'
import { changedAt, evmAddress, pathsToMoney, termedOrder } from '../../support/orders/termed-order.ts'

const numRuns = full ? 10_000 : 200
const timeout = full ? 300_000 : 20_000
const [sample] = fc.sample(
  termedOrder.filter(({ order }) => order.payment?.steps[0]?.kind === 'deposit' && order.terms.settlements.length > 2),
  { seed: 7, numRuns: 1 },
)
const { order, factory, recipients, address } = sample!
function problemOf(changed: unknown, expected = {}) {
  const verified = verifyOrder(changed, { factory, recipients, ...expected })
  return verified.ok ? undefined : verified.problem
}

test('property: valid orders are verified, with their address', { timeout }, () => {
  fc.assert(
    fc.property(termedOrder, (valid) => {
      expect(verifyOrder(JSON.parse(JSON.stringify(valid.order)), valid)).toEqual({ ok: true, address: valid.address })
    }),
    { numRuns },
  )
})

test('property: no single change of an address, chain, token, recipient or member of the terms is verified', { timeout }, () => {
  const changes = fc.record({
    valid: termedOrder,
    at: fc.nat(),
    address: evmAddress,
    whole: fc.integer({ min: 0, max: 2 ** 33 }),
    how: fc.nat(6),
  })
  fc.assert(
    fc.property(changes, ({ valid, at, address, whole, how }) => {
      // Without an address nothing contradicts other terms or another currency to pay in, and nobody can pay to anything yet.
      const hasAddress = valid.order.payment?.steps[0]?.kind === 'deposit'
      const paths = pathsToMoney(valid.order).filter(([member, part]) => hasAddress || (member !== 'terms' && part !== 'input'))
      const path = paths[at % paths.length]!
      const change = (value: unknown): unknown => {
        if (how === 0) return value === null ? {} : null
        if (how === 1) return { value }
        if (typeof value === 'boolean') return !value
        if (typeof value === 'number') return value === whole ? whole + 1 : how === 2 ? 20000000000001 : how === 3 ? String(value) : whole
        if (how === 2 && typeof value === 'string') return value.slice(0, -1)
        if (how === 3) return path.at(-1) === 'token' ? `0x${'0'.repeat(40)}` : `bc1q${'x'.repeat(38)}`
        return path.at(-1) === 'max_fee_flat' && value !== String(whole) ? String(whole) : address
      }
      const changed = changedAt(valid.order, path, change)
      fc.pre(JSON.stringify(changed) !== JSON.stringify(valid.order) && !isTheSame(path, valid.order, changed))
      expect(verifyOrder(changed, valid).ok, `${path.join('.')} ${JSON.stringify(changed)}`).toBe(false)
    }),
    { numRuns: numRuns * 4 },
  )
})

/** What is not of the EVM follows from no terms, and the zero address and null are the same coin. */
function isTheSame(path: readonly (string | number)[], before: object, after: object): boolean {
  const read = (from: object, at: readonly (string | number)[]) =>
    at.reduce<unknown>((value, name) => (value as Record<string | number, unknown>)[name], from)
  const [was, is] = [read(before, path), read(after, path)]
  const isOfBitcoin = JSON.stringify(read(before, path.slice(0, -1))).includes('20000000000001') || was === 'bc1qrecipient'
  return isOfBitcoin || (path.at(-1) === 'address' && [was, is].every((value) => value === null || value === `0x${'0'.repeat(40)}`))
}

test('property: any JSON is answered and never throws', () => {
  const withParts = fc.record(
    { id: fc.string(), fulfillment: fc.jsonValue(), settlements: fc.jsonValue(), payment: fc.jsonValue(), terms: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), withParts), (json) => {
      expect(verifyOrder(json, { factory, recipients }).ok).toBe(false)
    }),
    { numRuns },
  )
  for (const nothing of [undefined, null, 1, 'order', [], {}]) expect(problemOf(nothing)).toBe('malformed')
})

test('error: each problem has its name', () => {
  expect(problemOf({ ...order, terms: undefined })).toBe('no_terms')
  expect(problemOf({ ...order, terms: { ...order.terms, version: 2 } })).toBe('malformed')
  expect(problemOf({ ...order, terms: { ...order.terms, more: 1 } })).toBe('malformed')
  expect(problemOf({ ...order, terms: { ...order.terms, settlements: order.terms.settlements.toReversed() } })).toBe('malformed')
  expect(problemOf({ ...order, id: `${order.id}x` })).toBe('other_order')
  expect(problemOf(order, { factory: address })).toBe('other_factory')
  expect(problemOf(order, { recipients: recipients.slice(1) })).toBe('unknown_recipient')
  expect(problemOf(order, { recipients: [] })).toBe('unknown_recipient')
  const [step] = order.payment!.steps
  const stepTo = (data: object) => ({ ...order, payment: { ...order.payment, steps: [{ ...step, data: { ...step!.data, ...data } }] } })
  expect(problemOf(stepTo({ deposit_address: factory }))).toBe('address')
  expect(problemOf(stepTo({ currency: { chain_id: 11155111, address: null } }))).toBe('settlement')
  expect(problemOf(stepTo({ evm: { to: factory, data: '0x', value: '1', chainId: 1 } }))).toBe('malformed')
  expect(problemOf({ ...order, fulfillment: { ...order.fulfillment, recipient: factory } })).toBe('settlement')
  expect(problemOf(order, { feeCollectors: [] })).toBe('unknown_fee_collector')
  expect(problemOf(order, { guard: factory })).toBe('unknown_guard')
})

test('behavior: the caller may know the collectors and the guard, and letter case means nothing', () => {
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  const feeCollectors = order.terms.settlements.map(({ fee_collector }) => fee_collector)
  const expected = {
    recipients: [...recipients.map(upper), 'bc1qours'],
    factory: upper(factory),
    feeCollectors,
    guard: upper(order.terms.guard),
  }
  expect(verifyOrder(order, expected)).toEqual({ ok: true, address })
})

test('behavior: an order that cannot be paid on an EVM chain is not refused and has no address', () => {
  const asset = { chain_id: 20000000000001, address: `0x${'0'.repeat(40)}` }
  const step = { kind: 'deposit', data: { deposit_address: 'bc1qdeposit', currency: asset } }
  const onBitcoin = { id: 'o', fulfillment: { asset, recipient: 'bc1qours' }, payment: { steps: [step] } }
  expect(verifyOrder(onBitcoin, { factory, recipients })).toEqual({ ok: true, address: undefined })
  expect(problemOf(changedAt(onBitcoin, ['payment', 'steps', 0, 'data', 'deposit_address'], () => factory))).toBe('no_terms')
  expect(problemOf(changedAt(onBitcoin, ['payment', 'steps', 0, 'data', 'currency'], () => ({ chain_id: 999999 })))).toBe('no_terms')
})
