import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as base58 from '../../../src/wire/addresses/base58.ts'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { addressesContract } from '../../contracts/addresses.ts'
import { encodeBase58 } from '../../support/encode-address.ts'

const { solana, sui } = codecs
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const key = bytes(32).map(encodeBase58)

addressesContract('Solana', {
  codec: solana.addressesOn('main'),
  valid: [
    '11111111111111111111111111111111',
    'So11111111111111111111111111111111111111112',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  ].map((text) => [text, text] as const),
  refused: [
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyT', 'malformed'],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv', 'malformed'],
    ['1111111111111111111111111111111', 'malformed'],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt10', 'malformed'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'malformed'],
  ],
  shown: key,
})

const object = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }).map((text) => `0x${text}`)
const suiAddress = `0x${'8fA1'.repeat(16)}`

addressesContract('Sui', {
  codec: sui.addressesOn('main'),
  valid: [[suiAddress, suiAddress.toLowerCase()]],
  refused: [
    [suiAddress.slice(0, -1), 'malformed'],
    [`${suiAddress}0`, 'malformed'],
    [suiAddress.slice(2), 'malformed'],
    ['0x2', 'malformed'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'malformed'],
  ],
  shown: object,
})

test('property: the case of base58 never changes', () => {
  fc.assert(fc.property(key, (text) => void expect(solana.addressesOn('main').parse(text)).toEqual({ address: text })))
  fc.assert(fc.property(bytes(64).map(encodeBase58), (text) => void expect(solana.parseHash(text)).toBe(text)))
  fc.assert(fc.property(bytes(32).map(encodeBase58), (text) => void expect(sui.parseHash(text)).toBe(text)))
})

test('property: what is written in base58 is read again, with its zeros', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(3), (rest, zeros) => {
      const all = Uint8Array.from([...new Uint8Array(zeros), ...rest])
      expect(base58.encodeBase58(all)).toBe(encodeBase58(all))
      expect(base58.decodeBase58(base58.encodeBase58(all))).toEqual(all)
    }),
  )
})

test('error: a hash of another length is none', () => {
  fc.assert(fc.property(bytes(63).map(encodeBase58), (text) => void expect(solana.parseHash(text)).toBeUndefined()))
  fc.assert(fc.property(bytes(65).map(encodeBase58), (text) => void expect(solana.parseHash(text)).toBeUndefined()))
  fc.assert(fc.property(bytes(31).map(encodeBase58), (text) => void expect(sui.parseHash(text)).toBeUndefined()))
  expect(solana.parseHash(suiAddress)).toBeUndefined()
  expect(sui.parseHash(suiAddress)).toBeUndefined()
})
