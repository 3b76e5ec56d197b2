import { descriptorChecksum } from '../../server/chains/bitcoin/descriptor.ts'
import { toHex } from './bytes.ts'
import { addressOf, typeOf } from './script.ts'

/** Describes an output's script without knowing anything about its keys. */
export function descriptorOf(script: Uint8Array): string {
  const text = body(script)
  return `${text}#${descriptorChecksum(text)}`
}

function body(script: Uint8Array): string {
  const type = typeOf(script)
  if (type === 'witness_v1_taproot') return `rawtr(${toHex(script.subarray(2))})`
  if (type === 'pubkey') return `pk(${toHex(script.subarray(1, -1))})`
  const address = addressOf(script)
  return address ? `addr(${address})` : `raw(${toHex(script)})`
}
