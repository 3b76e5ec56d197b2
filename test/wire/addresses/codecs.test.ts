import { expect, test } from 'vitest'
import { canonicalAddress, canonicalToken } from '../../../src/wire/addresses/canonical.ts'
import { addressesOn, parseHash } from '../../../src/wire/addresses/codecs.ts'
import { explorerAddress, explorerTx } from '../../../src/wire/explorer.ts'
import { nativeAddress } from '../../../src/wire/chain-facts.ts'

const evm = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const [bitcoin, testnet] = ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx']
const solana = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const sui = `0x${'8'.repeat(64)}`

test('default: a chain reads the addresses of its own family and network only', () => {
  const byChain: readonly [number, string][] = [
    [8453, evm],
    [84532, evm],
    [11155111, evm],
    [20000000000001, bitcoin],
    [20000000000101, testnet],
    [20000000000102, testnet],
    [30000000000001, solana],
    [30000000000101, solana],
    [30000000000002, sui],
  ]
  for (const [chainId, own] of byChain) {
    for (const text of [evm, bitcoin, testnet, solana, sui])
      expect('address' in addressesOn(chainId)!.parse(text), `${text} on ${chainId}`).toBe(text === own)
  }
  expect(addressesOn(12345)).toBeUndefined()
})

test('behavior: a node of a local network has the id of a public chain', () => {
  const local = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
  expect(addressesOn(20000000000001, 'local')?.parse(local)).toEqual({ address: local })
  expect(addressesOn(20000000000001)?.parse(local)).toEqual({ problem: 'other_network' })
})

test('behavior: a hash belongs to the family of its chain', () => {
  const hash = `0x${'AB'.repeat(32)}`
  expect(parseHash(8453, hash)).toBe(hash.toLowerCase())
  expect(parseHash(20000000000001, hash.slice(2))).toBe(hash.slice(2).toLowerCase())
  expect(parseHash(30000000000001, hash)).toBeUndefined()
  expect(parseHash(12345, hash)).toBeUndefined()
})

test('behavior: without the codecs, EVM addresses compare in small letters and others exactly', () => {
  expect(canonicalAddress(8453, evm)).toBe(evm.toLowerCase())
  expect(canonicalAddress(30000000000001, solana)).toBe(solana)
  expect(canonicalToken(30000000000002, '0x2::sui::SUI')).toBe('0x2::sui::SUI')
  expect(canonicalToken(8453, evm)).toBe(evm.toLowerCase())
  expect([null, undefined, nativeAddress].map((address) => canonicalToken(8453, address))).toEqual([null, null, null])
})

test('behavior: an explorer’s links have the paths of its family', () => {
  expect(explorerTx(8453, '0x1')).toBe('https://basescan.org/tx/0x1')
  expect(explorerAddress(8453, evm)).toBe(`https://basescan.org/address/${evm}`)
  expect(explorerAddress(20000000000001, bitcoin)).toBe(`https://mempool.space/address/${bitcoin}`)
  expect(explorerTx(20000000000101, 'abc')).toBe('https://mempool.space/testnet4/tx/abc')
  expect(explorerAddress(20000000000102, testnet)).toBe(`https://mempool.space/signet/address/${testnet}`)
  expect(explorerTx(30000000000001, 'abc')).toBe('https://solscan.io/tx/abc')
  expect(explorerAddress(30000000000001, solana)).toBe(`https://solscan.io/account/${solana}`)
  expect(explorerAddress(30000000000002, sui)).toBe(`https://suiscan.xyz/mainnet/account/${sui}`)
  expect([explorerTx(12345, '0x1'), explorerAddress(12345, evm)]).toEqual([undefined, undefined])
})
