import { secp256k1 } from '@noble/curves/secp256k1'
import { HDKey } from '@scure/bip32'
import * as btc from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { bitcoinDeposits, orderScript } from '../../../server/chains/bitcoin/order-script.ts'
import { descriptorChecksum, orderDescriptor } from '../../../server/chains/bitcoin/descriptor.ts'
import { dustOf, scriptOf } from '../../../server/chains/bitcoin/dust.ts'
import { bytesOf } from '../../../server/chains/bitcoin/network.ts'
import { orderKey } from '../../../server/chains/bitcoin/order-key.ts'
import { depositsContract } from '../../contracts/deposits.ts'
import { bitcoinNodes } from '../../support/service/bitcoin-nodes.ts'
import { testAccount } from './support.ts'

/** Addresses derive without a database. */
const noDatabase = undefined as never
const watchOnlyAccount = HDKey.fromExtendedKey(testAccount.publicExtendedKey, { private: 0x04358394, public: 0x043587cf })
const watchOnly = bitcoinDeposits(watchOnlyAccount, 'local')

depositsContract('Bitcoin', () => ({
  addresses: codecs.bitcoin.addressesOn('local'),
  reserve: [watchOnly, bitcoinDeposits(testAccount, 'local')].map(
    (deposits) =>
      async (orderId): Promise<string> =>
        (await deposits.reserve(noDatabase, { orderId, destinations: [] as never, releaseAt: 0 })).address,
  ),
}))

describe('addresses of orders', () => {
  test('property: the account’s private key spends from the address that its public key derives', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), (orderId) => {
        const { privateKey } = orderKey(testAccount, orderId)
        const { address } = btc.p2wpkh(secp256k1.getPublicKey(privateKey!, true), bytesOf.local)
        expect(orderScript(watchOnlyAccount, orderId, 'local').address).toBe(address)
      }),
      { numRuns: 50 },
    )
  })

  test('behavior: each network writes the same key in its own way', () => {
    const prefixes = (['main', 'test', 'local'] as const).map((network) => orderScript(testAccount, 'a', network).address.split('1')[0])
    expect(prefixes).toEqual(['bc', 'tb', 'bcrt'])
  })

  test('behavior: a descriptor contains the public key, the path and the checksum of BIP 380', () => {
    expect(descriptorChecksum('raw(deadbeef)')).toBe('89f8spxm')
    expect(descriptorChecksum('raw(Ü)')).toBeUndefined()
    const descriptor = orderDescriptor(testAccount, 'ord_1')
    expect(descriptor).toMatch(/^wpkh\(tpub\w+\/\d+\/\d+\/\d+\)#[a-z0-9]{8}$/)
    expect(descriptor).not.toContain('prv')
  })

  test('behavior: the least amounts are those that nodes relay', () => {
    const { script } = orderScript(testAccount, 'a', 'main')
    expect(dustOf(script)).toBe(294n)
    const others = [
      ['bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr', 330n],
      ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 546n],
      ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 540n],
    ] as const
    for (const [address, dust] of others) expect(dustOf(scriptOf(address, 'main')!)).toBe(dust)
    expect(scriptOf('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'local')).toBeUndefined()
  })

  // Our own node knows no keys. A real one derives from a descriptor what its wallet would watch.
  for (const { name, start } of bitcoinNodes.slice(1))
    test(`behavior: ${name} derives from descriptors the addresses of orders`, async () => {
      const { rpc, stop } = await start()
      try {
        for (const orderId of ['a', 'ord_1', 'ü']) {
          const descriptor = orderDescriptor(testAccount, orderId)
          const { address } = orderScript(testAccount, orderId, 'local')
          expect(await rpc.call('deriveaddresses', [descriptor], z.array(z.string()))).toEqual([address])
        }
      } finally {
        await stop()
      }
    })
})
