import * as fc from 'fast-check'
import { checksumAddress } from 'viem'
import { expect, test } from 'vitest'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { addressesContract } from '../../contracts/addresses.ts'

/** The examples of EIP-55. */
const examples = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]
const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 40 })
const codec = codecs.evm.addressesOn('main')
const [, , , , mixed = ''] = examples

addressesContract('EVM', {
  codec,
  valid: [
    ...examples.map((text) => [text, text.toLowerCase()] as const),
    [mixed.toLowerCase(), mixed.toLowerCase()],
    [`0x${mixed.slice(2).toUpperCase()}`, mixed.toLowerCase()],
  ],
  refused: [
    ...examples.slice(4).map((text) => [text.replace(/[a-f]/, (letter) => letter.toUpperCase()), 'checksum'] as const),
    [mixed.slice(2), 'malformed'],
    [`0X${mixed.slice(2)}`, 'malformed'],
    [mixed.slice(0, -1), 'malformed'],
    [`${mixed}0`, 'malformed'],
    [mixed.replace('5', 'g'), 'malformed'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'malformed'],
  ],
  shown: digits.map((text) => codec.show(`0x${text}`)),
})

test('default: shows the examples of EIP-55, and every address as viem does', () => {
  for (const text of examples) expect(codec.show(text.toLowerCase())).toBe(text)
  fc.assert(fc.property(digits, (text) => void expect(codec.show(`0x${text}`)).toBe(checksumAddress(`0x${text}`))))
})

test('behavior: an address that is only looked at may have any case', () => {
  expect(codec.read(mixed.replace('Aeb', 'AEB'))).toBe(mixed.toLowerCase())
  expect(codec.read(mixed.slice(0, -1))).toBeUndefined()
})

test('behavior: a hash has 64 hex digits, which compare in small letters', () => {
  const hash = `0x${'aB'.repeat(32)}`
  expect(codecs.evm.parseHash(hash)).toBe(hash.toLowerCase())
  for (const text of [hash.slice(2), hash.slice(0, -1), `${hash}0`, hash.replace('a', 'g')])
    expect(codecs.evm.parseHash(text)).toBeUndefined()
})
