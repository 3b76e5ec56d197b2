import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRepeats, withoutRepeats } from '../../src/wire/repeats.ts'

const token = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', chain_id: 8453 }

test('default: what is repeated is written once', () => {
  const data = { boot: { in: token, out: [token, { of: token }] }, none: null }
  const text = withoutRepeats(data)
  expect(text.split(token.address)).toHaveLength(2)
  expect(parseRepeats(text)).toEqual(data)
})

test('behavior: data without repetitions, and data that has the mark as a name, comes through unchanged', () => {
  const data = { a: token, b: { ...token, chain_id: 1, address: '0x' }, list: [] }
  expect(parseRepeats(withoutRepeats(data))).toEqual(data)
  const evil = { metadata: { '=': 0 }, a: token, b: token }
  expect(parseRepeats(withoutRepeats(evil))).toEqual(evil)
})

test('behavior: data that was written without a list is read as it is', () => {
  expect(parseRepeats(JSON.stringify({ boot: { in: token, out: token } }))).toEqual({ boot: { in: token, out: token } })
})

test('property: any data is read as it was written', () => {
  const words = fc.constantFrom('a', 'a text that is long enough to be repeated', 'another one, with "quotes" and a <')
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', '='), tie('value')),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('x', 'y', 'z'), value), (data) => {
      expect(parseRepeats(withoutRepeats(data))).toEqual(data)
    }),
  )
})
