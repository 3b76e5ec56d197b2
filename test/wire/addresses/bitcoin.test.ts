import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSegwit } from '../../../src/wire/addresses/bech32.ts'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { sha256 } from '../../../src/wire/addresses/sha256.ts'
import { addressesContract } from '../../contracts/addresses.ts'
import { encodeBase58Check, encodeSegwit } from '../../support/encode-address.ts'

/** The valid addresses of BIP-350, which replaces those of BIP-173, with their scripts. */
const segwit: readonly (readonly [string, string])[] = [
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
  [
    'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
    '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
  ],
  [
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
    '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
  ],
  ['BC1SW50QGDZ25J', '6002751e'],
  ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
  [
    'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
    '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
  ],
  [
    'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
    '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
  ],
  [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  ],
]
const isOf = (prefix: string) => (text: string) => text.toLowerCase().startsWith(`${prefix}1`)
const main = segwit.map(([text]) => text).filter(isOf('bc'))
const onTest = segwit.map(([text]) => text).filter(isOf('tb'))

/** Well-known addresses of keys and of scripts. Those of the test networks were computed with Bitcoin Core's own test vectors. */
const p2pkh = ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '1111111111111111111114oLvT2']
const p2sh = ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', '3P14159f73E4gFr7JterCCQh9QjiTjiZrG']
const testBase58 = ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc']

const same = (text: string) => [text, text.toLowerCase()] as const
const exact = (text: string) => [text, text] as const
const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const hash160 = fc.uint8Array({ minLength: 20, maxLength: 20 })
const hash256 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const later = fc.tuple(fc.integer({ min: 1, max: 16 }), fc.uint8Array({ minLength: 2, maxLength: 40 }))
const segwitOf = (prefix: string) =>
  fc.oneof(
    fc.oneof(hash160, hash256).map((program) => encodeSegwit(prefix, 0, program)),
    later.map(([version, program]) => encodeSegwit(prefix, version, program)),
  )

addressesContract('Bitcoin, base58check', {
  codec: codecs.bitcoin.addressesOn('main'),
  valid: [...p2pkh, ...p2sh].map(exact),
  refused: [
    ...testBase58.map((text) => [text, 'other_network'] as const),
    [encodeBase58Check(0x30, new Uint8Array(20)), 'malformed'],
    [encodeBase58Check(0x00, new Uint8Array(19)), 'malformed'],
    [encodeBase58Check(0x00, new Uint8Array(21)), 'malformed'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'checksum'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNA', 'checksum'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a', 'malformed'],
  ],
  shown: fc.oneof(...[0x00, 0x05].map((version) => hash160.map((payload) => encodeBase58Check(version, payload)))),
  checksum: { letters: base58, from: 0 },
})

addressesContract('Bitcoin, SegWit', {
  codec: codecs.bitcoin.addressesOn('main'),
  valid: main.map(same),
  refused: [
    ...onTest.map((text) => [text, 'other_network'] as const),
    // The invalid addresses of BIP-350.
    ['tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut', 'malformed'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'checksum'],
    ['tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf', 'checksum'],
    ['BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL', 'checksum'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh', 'checksum'],
    ['tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47', 'checksum'],
    ['bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4', 'malformed'],
    ['BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R', 'malformed'],
    ['bc1pw5dgrnzv', 'malformed'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav', 'malformed'],
    ['BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', 'malformed'],
    ['tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq', 'malformed'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf', 'malformed'],
    ['tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j', 'malformed'],
    ['bc1gmk9yu', 'malformed'],
    // An example of BIP-173 with version 1, whose checksum BIP-350 changed.
    ['bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx', 'checksum'],
    // A local network's.
    ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 'other_network'],
  ],
  shown: segwitOf('bc'),
  checksum: { letters, from: 3 },
})

addressesContract('Bitcoin on test networks', {
  codec: codecs.bitcoin.addressesOn('test'),
  valid: [...onTest.map(same), ...testBase58.map(exact)],
  refused: [...main, ...p2pkh, ...p2sh, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'].map((text) => [text, 'other_network'] as const),
  shown: fc.oneof(...[0x6f, 0xc4].map((version) => hash160.map((payload) => encodeBase58Check(version, payload)))),
  checksum: { letters: base58, from: 0 },
})

addressesContract('Bitcoin on a local network', {
  codec: codecs.bitcoin.addressesOn('local'),
  valid: [...testBase58.map(exact), ...['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'].map(same)],
  refused: [...main, ...onTest].map((text) => [text, 'other_network'] as const),
  shown: segwitOf('bcrt'),
  checksum: { letters, from: 5 },
})

test('default: a SegWit address decodes to its version and its program', () => {
  for (const [text, script] of segwit) {
    const decoded = decodeSegwit(text)
    if ('problem' in decoded) throw new Error(`${text} is ${decoded.problem}`)
    const { version, program } = decoded
    const opcode = version === 0 ? 0 : version + 0x50
    expect(Buffer.from([opcode, program.length, ...program]).toString('hex')).toBe(script)
  }
})

test('behavior: a hash has 64 hex digits, and case does not matter', () => {
  const hash = '4A5E1E4BAAB89F3A32518A88C31BC87F618F76673E2CC77AB2127B7AFDEDA33B'
  expect(codecs.bitcoin.parseHash(hash)).toBe(hash.toLowerCase())
  for (const text of [`0x${hash}`, hash.slice(1), `${hash}0`]) expect(codecs.bitcoin.parseHash(text)).toBeUndefined()
})

test('property: SHA-256 is that of Node, at every length around the borders of blocks', () => {
  const messages = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom(0, 55, 56, 63, 64, 119, 120).map((length) => new Uint8Array(length)),
  )
  fc.assert(
    fc.property(messages, (message) => {
      expect(Buffer.from(sha256(message)).toString('hex')).toBe(createHash('sha256').update(message).digest('hex'))
    }),
  )
})
