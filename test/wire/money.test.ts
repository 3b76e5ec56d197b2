import * as fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import { formatUnits, maxDecimals, parseUnits, type Raw, subtractToZero, toRaw } from '../../src/wire/money.ts'
import { Decimal, RawString } from '../../src/wire/scalars.ts'

const largest = 2n ** 256n - 1n
const raws = fc.oneof(fc.bigInt({ min: 0n, max: largest }), fc.constantFrom(0n, 1n, largest), fc.bigInt({ min: 0n, max: 10n ** 9n }))
const decimals = fc.integer({ min: 0, max: maxDecimals })

test('default', () => {
  expect(parseUnits('42.5', 6)).toBe(42_500_000n)
  expect(formatUnits(42_500_000n, 6)).toBe('42.5')
  expect(formatUnits(largest, 0)).toBe(largest.toString())
  expect(formatUnits(1n, 36)).toBe(`0.${'0'.repeat(35)}1`)
})

test('behavior: to text and back is exact, up to 2^256−1 and 36 decimals', () => {
  fc.assert(
    fc.property(raws, decimals, (raw, places) => {
      const text = formatUnits(raw, places)
      expect(parseUnits(text, places)).toBe(raw)
      expect(Decimal.parse(text)).toBe(text)
      expect(RawString.parse(raw.toString())).toBe(raw.toString())
    }),
    { numRuns: 2000 },
  )
})

test('behavior: to a number and back is exact except for trailing zeros', () => {
  const text = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.stringMatching(/^\d{0,36}$/))
    .map(([whole, fraction]) => (fraction ? `${whole}.${fraction}` : `${whole}`))
  fc.assert(
    fc.property(text, (amount) => {
      const raw = parseUnits(amount, maxDecimals)
      expect(raw !== undefined && formatUnits(raw, maxDecimals)).toBe(amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount)
    }),
    { numRuns: 1000 },
  )
})

test('behavior: zeros beyond the currency’s decimals are ignored', () => {
  expect(parseUnits('1.100', 1)).toBe(11n)
  expect(parseUnits('1.000', 0)).toBe(1n)
})

test.each([
  '1e3',
  '1E3',
  '+1',
  '-1',
  '-0',
  '1,000',
  '1_000',
  "1'000",
  ' 1',
  '1 ',
  '',
  '.',
  '.5',
  '5.',
  '01',
  '00.1',
  '0x10',
  'NaN',
  'Infinity',
  '١',
  '1.2.3',
  '1\n',
])('error: %j is not a plain decimal', (text) => {
  expect(parseUnits(text, 18)).toBeUndefined()
  expect(Decimal.safeParse(text).success).toBe(false)
})

test('error: more decimals than the currency has are refused', () => {
  expect(parseUnits('0.0000001', 6)).toBeUndefined()
  expect(parseUnits('1.5', 0)).toBeUndefined()
})

test('error: an amount is never negative', () => {
  expect(() => toRaw(-1n)).toThrow(RangeError)
  expect(formatUnits(-1500n, 3)).toBe('-1.5')
})

test('behavior: a remainder is never below zero', () => {
  fc.assert(
    fc.property(raws, raws, raws, (from, a, b) => {
      expect(subtractToZero(from, a, b)).toBe(from - a - b > 0n ? from - a - b : 0n)
    }),
  )
})

test('behavior: only this module makes a raw amount', () => {
  expectTypeOf(toRaw(1n)).toEqualTypeOf<Raw>()
  expectTypeOf<Raw>().toExtend<bigint>()
  // @ts-expect-error a plain bigint has not been validated
  const unchecked: Raw = 1n
  expect(unchecked).toBe(1n)
})
