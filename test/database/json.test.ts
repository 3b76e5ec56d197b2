import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeJson, encodeJson, toJsonb } from '../../server/database/json.ts'

const trip = (value: unknown): unknown => decodeJson(JSON.parse(JSON.stringify(toJsonb(value))))

test('default: integers of any size survive a round trip', () => {
  const value = { amount: 2n ** 256n - 1n, zero: 0n, below: -5n, deep: [{ list: [1n, '1', 1] }] }
  expect(trip(value)).toEqual(value)
  expect(encodeJson({ amount: 1n })).toBe('{"amount":{"~":"1"}}')
})

test('behavior: strings and objects that resemble an encoded number are unchanged', () => {
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

test('behavior: any metadata of a merchant survives a round trip', () => {
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
