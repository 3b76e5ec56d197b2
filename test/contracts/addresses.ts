import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AddressCodec, AddressProblem } from '../../src/wire/addresses/codec.ts'

export interface AddressesUnderTest {
  readonly codec: AddressCodec
  /** Spellings and their canonical forms. */
  readonly valid: readonly (readonly [text: string, canonical: string])[]
  readonly refused: readonly (readonly [text: string, problem: AddressProblem])[]
  /** Makes addresses as people see them. */
  readonly shown: fc.Arbitrary<string>
  /** Every address consists of these letters, from this place on. Families without a checksum cannot detect a mistyped letter. */
  readonly checksum?: { readonly letters: string; readonly from: number }
}

/** What page and service rely on for the addresses of any family. */
export function addressesContract(name: string, { codec, valid, refused, shown, checksum }: AddressesUnderTest): void {
  describe(`addresses contract: ${name}`, () => {
    test('default: each spelling has its canonical form, which is a spelling too', () => {
      for (const [text, canonical] of valid) {
        expect(codec.parse(text), text).toEqual({ address: canonical })
        expect(codec.read(text), text).toBe(canonical)
        expect(codec.parse(canonical), canonical).toEqual({ address: canonical })
      }
    })

    test('error: a refusal has its reason', () => {
      for (const [text, problem] of refused) expect(codec.parse(text), text).toEqual({ problem })
    })

    test('error: other texts are malformed and do not throw', () => {
      const texts = fc.oneof(
        fc.string({ maxLength: 140 }),
        fc.constantFrom('', ' ', '0x', 'bc1', '1', `1${valid[0]?.[0]}`, `${valid[0]?.[0]} `),
      )
      fc.assert(fc.property(texts, (text) => void expect(codec.parse(text)).toEqual({ problem: 'malformed' })))
    })

    test('property: what is shown is read as the same address', () => {
      fc.assert(
        fc.property(shown, (text) => {
          const parsed = codec.parse(text)
          if ('problem' in parsed) throw new Error(`${text} is ${parsed.problem}`)
          expect(codec.show(parsed.address)).toBe(text)
        }),
      )
    })

    if (!checksum) return
    test('property: a missing letter and a wrong one are found', () => {
      fc.assert(
        fc.property(shown, fc.nat(), fc.constantFrom(...checksum.letters), (text, at, letter) => {
          const index = checksum.from + (at % (text.length - checksum.from))
          fc.pre(text[index] !== letter)
          expect(codec.parse(text.slice(0, index) + letter + text.slice(index + 1))).toHaveProperty('problem')
          expect(codec.parse(text.slice(0, index) + text.slice(index + 1))).toHaveProperty('problem')
        }),
      )
    })
  })
}
