import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeJson, encodeJson, toJsonb } from '../../server/database/json.ts'

const trip = (value: unknown): unknown => decodeJson(JSON.parse(JSON.stringify(toJsonb(value))))

test('default: whole numbers of any size come back as they were', () => {
  const value = { amount: 2n ** 256n - 1n, zero: 0n, below: -5n, deep: [{ list: [1n, '1', 1] }] }
  expect(trip(value)).toEqual(value)
  expect(encodeJson({ amount: 1n })).toBe('{"amount":{"~":"1"}}')
})

test('behavior: strings and objects that look like a number of ours stay what they are', () => {
  for (const value of [
    '~',
    { '~': '123' },
    { '~': 'not a number' },
    { '~~': '1' },
    { '~': 1n },
    { '~': { '~': '1' } },
    { '~': '1', more: true },
    { __proto__: null, constructor: '1' },
  ])
    expect(trip(value)).toEqual(value)
})

test('behavior: whatever a merchant writes comes back', () => {
  const key = fc.oneof(fc.constantFrom('~', '~~', '~~~', '__proto__', 'constructor', 'toJSON'), fc.string())
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: 'binary' }),
      fc.bigInt(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('~', '{"~":"1"}'),
      fc.array(tie('value')),
      fc.array(fc.tuple(key, tie('value'))).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  fc.assert(
    fc.property(value, (written) => {
      expect(trip(written)).toEqual(written)
    }),
  )
})
