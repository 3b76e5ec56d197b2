import { HDKey, type Versions } from '@scure/bip32'
import type { Network } from '../../../src/wire/addresses/codec.ts'

/** The first bytes say the network and, by SLIP-132, that the account is one of P2WPKH addresses. Wallets export either form. */
const versions: Readonly<Record<'main' | 'test', readonly [Versions, Versions]>> = {
  main: [
    { private: 0x0488ade4, public: 0x0488b21e }, // xprv, xpub
    { private: 0x04b2430c, public: 0x04b24746 }, // zprv, zpub
  ],
  test: [
    { private: 0x04358394, public: 0x043587cf }, // tprv, tpub
    { private: 0x045f18bc, public: 0x045f1cf6 }, // vprv, vpub
  ],
}

/** Descriptors know only the first form. */
function inForm({ depth, index, parentFingerprint, chainCode, privateKey, publicKey }: HDKey, form: Versions): HDKey {
  if (!chainCode) throw new Error('an extended key has a chain code')
  const key = privateKey ? { privateKey } : { publicKey: publicKey ?? undefined }
  return new HDKey({ versions: form, depth, index, parentFingerprint, chainCode, ...key })
}

/** Reads the extended key of an account. Its `privateKey` is null if it is the public one. */
export function parseAccountKey(text: string, network: Network): HDKey | undefined {
  const forms = versions[network === 'main' ? 'main' : 'test']
  for (const form of forms) {
    try {
      return inForm(HDKey.fromExtendedKey(text.trim(), form), forms[0])
    } catch {
      // It is in the other form, or in none.
    }
  }
  return undefined
}
