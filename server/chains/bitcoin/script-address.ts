import * as btc from '@scure/btc-signer'
import type { Network } from '../../../src/wire/addresses/codec.ts'
import { bytesOf } from './network.ts'

/** How the script of an output that pays an address begins and ends, and how long it is. The address encodes what lies between. */
const forms = [
  { type: 'wpkh', begins: [0x00, 0x14], ends: [], length: 22 },
  { type: 'wsh', begins: [0x00, 0x20], ends: [], length: 34 },
  { type: 'tr', begins: [0x51, 0x20], ends: [], length: 34 },
  { type: 'pkh', begins: [0x76, 0xa9, 0x14], ends: [0x88, 0xac], length: 25 },
  { type: 'sh', begins: [0xa9, 0x14], ends: [0x87], length: 23 },
] as const

/**
 * Returns a function from scripts to canonical addresses, which answers undefined for a script that pays none. Scripts are recognised by their
 * bytes and not run through the library's decoder, which verifies every key that it meets: a block has thousands of outputs.
 */
export function scriptAddress(network: Network): (script: Uint8Array) => string | undefined {
  const encoder = btc.Address(bytesOf[network])
  return (script) => {
    const form = forms.find(
      ({ begins, ends, length }) =>
        script.length === length &&
        begins.every((byte, i) => script[i] === byte) &&
        ends.every((byte, i) => script[length - ends.length + i] === byte),
    )
    if (!form) return undefined
    const content = script.slice(form.begins.length, form.length - form.ends.length)
    try {
      return encoder.encode(form.type === 'tr' ? { type: 'tr', pubkey: content } : { type: form.type, hash: content })
    } catch {
      // The key of a Taproot output need not be one, and then nobody can spend it.
      return undefined
    }
  }
}
