import * as btc from '@scure/btc-signer'
import { Script, type ScriptOP } from '@scure/btc-signer/script.js'
import { toHex } from './bytes.ts'

/** The address format of regtest, as in `src/wire/addresses/bitcoin.ts`. */
export const regtest = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef }

export type ScriptType =
  | 'pubkey'
  | 'pubkeyhash'
  | 'scripthash'
  | 'multisig'
  | 'nulldata'
  | 'anchor'
  | 'witness_v0_keyhash'
  | 'witness_v0_scripthash'
  | 'witness_v1_taproot'
  | 'witness_unknown'
  | 'nonstandard'

const shapes: readonly (readonly [RegExp, ScriptType])[] = [
  [/^0014.{40}$/, 'witness_v0_keyhash'],
  [/^0020.{64}$/, 'witness_v0_scripthash'],
  [/^5120.{64}$/, 'witness_v1_taproot'],
  [/^51024e73$/, 'anchor'],
  [/^76a914.{40}88ac$/, 'pubkeyhash'],
  [/^a914.{40}87$/, 'scripthash'],
  [/^(?:21(?:02|03).{64}|4104.{128})ac$/, 'pubkey'],
  [/^5[1-3](?:21(?:02|03).{64}|4104.{128}){1,3}5[1-3]ae$/, 'multisig'],
]

/** A witness program is a version and 2 to 40 bytes (BIP 141). Those of version 0 have one of two lengths. */
function isUnknownWitness(script: Uint8Array): boolean {
  const [version = 0, length = 0] = script
  return version >= 0x51 && version <= 0x60 && length >= 2 && length <= 40 && script.length === length + 2
}

export function typeOf(script: Uint8Array): ScriptType {
  const hex = toHex(script)
  const found = shapes.find(([shape]) => shape.test(hex))
  if (found) return found[1]
  if (script[0] === 0x6a && isPushOnly(script.subarray(1))) return 'nulldata'
  return isUnknownWitness(script) ? 'witness_unknown' : 'nonstandard'
}

export const isWitnessProgram = (type: ScriptType): boolean => type.startsWith('witness_') || type === 'anchor'

/** Such outputs never enter the set of coins. */
export const isUnspendable = (script: Uint8Array): boolean => script[0] === 0x6a || script.length > 10_000

function isPushOnly(script: Uint8Array): boolean {
  try {
    return Script.decode(script).every((part) => typeof part !== 'string' || part === '1NEGATE' || part === 'RESERVED')
  } catch {
    return false
  }
}

export function addressOf(script: Uint8Array): string | undefined {
  const type = typeOf(script)
  if (['pubkey', 'multisig', 'nulldata', 'nonstandard', 'witness_unknown'].includes(type)) return undefined
  return btc.Address(regtest).encode(btc.OutScript.decode(script))
}

/** Returns undefined if the text is not an address of regtest. */
export function scriptOf(address: string): Uint8Array | undefined {
  try {
    return btc.OutScript.encode(btc.Address(regtest).decode(address))
  } catch {
    return undefined
  }
}

export function disassemble(script: Uint8Array): string {
  try {
    return Script.decode(script).map(wordOf).join(' ')
  } catch {
    return '[error]'
  }
}

function wordOf(part: ScriptOP): string {
  if (typeof part === 'number') return `${part}`
  if (typeof part === 'string') return `OP_${part}`
  return part.length <= 4 ? `${littleEndian(part)}` : toHex(part)
}

/** Up to four bytes are shown as the signed number that they are in script. */
function littleEndian(bytes: Uint8Array): number {
  let value = 0
  for (const [index, byte] of bytes.entries()) value += (index === bytes.length - 1 ? byte & 0x7f : byte) * 256 ** index
  return (bytes.at(-1) ?? 0) & 0x80 ? -value : value
}
