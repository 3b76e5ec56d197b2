import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveKey } from '../../../server/chains/solana/derive-key.ts'
import { addressOfKey } from '../../../server/chains/solana/signer.ts'

/** The seed of BIP-39's well-known words "abandon … about", without a passphrase. */
const seed = Buffer.from(
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
  'hex',
)

test('default: the addresses of a seed are those that wallets show for it', () => {
  expect(addressOfKey(deriveKey(seed, 0))).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk')
})

test('behavior: every number has a key of its own, which a seed determines', () => {
  const keys = Array.from({ length: 300 }, (_, index) => Buffer.from(deriveKey(seed, index)).toString('hex'))
  expect(new Set(keys).size).toBe(keys.length)
  expect(Buffer.from(deriveKey(seed, 7)).toString('hex')).toBe(keys[7])
  const other = createHash('sha512').update('another seed').digest()
  expect(addressOfKey(deriveKey(other, 0))).not.toBe(addressOfKey(deriveKey(seed, 0)))
})
