import * as btc from '@scure/btc-signer'
import type { Network } from '../../../src/wire/addresses/codec.ts'
import { bytesOf } from './network.ts'

/** Returns undefined for a text that is not an address of the network. */
export function scriptOf(address: string, network: Network): Uint8Array | undefined {
  try {
    return btc.OutScript.encode(btc.Address(bytesOf[network]).decode(address))
  } catch {
    return undefined
  }
}

/** Nodes relay no output that is worth less than the cost of spending it at 3 sat/vB. What that costs depends on its script. */
const relayRate = 3n

export function dustOf(script: Uint8Array): bigint {
  const size = 9n + BigInt(script.length)
  const isWitness =
    script.length >= 4 && script.length <= 42 && (script[0] === 0 || (script[0] ?? 0) >= 0x51) && script[1] === script.length - 2
  return relayRate * (size + (isWitness ? 67n : 148n))
}
