import { toHex } from './bytes.ts'
import { addressOf, typeOf } from './script.ts'

const inputLetters = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ '
const checksumLetters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn]

function step(checksum: bigint, value: number): bigint {
  const top = checksum >> 35n
  const next = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(value)
  return generator.reduce((sum, term, bit) => ((top >> BigInt(bit)) & 1n ? sum ^ term : sum), next)
}

/** The checksum of an output descriptor (BIP 380), or undefined if it contains a letter that none has. */
export function checksumOf(descriptor: string): string | undefined {
  let checksum = 1n
  let group = 0
  let count = 0
  for (const letter of descriptor) {
    const position = inputLetters.indexOf(letter)
    if (position < 0) return undefined
    checksum = step(checksum, position & 31)
    group = group * 3 + (position >> 5)
    if (++count % 3 === 0) {
      checksum = step(checksum, group)
      group = 0
    }
  }
  if (count % 3 > 0) checksum = step(checksum, group)
  for (let i = 0; i < 8; i++) checksum = step(checksum, 0)
  checksum ^= 1n
  return Array.from({ length: 8 }, (_, i) => checksumLetters[Number((checksum >> BigInt(5 * (7 - i))) & 31n)]).join('')
}

/** Describes an output's script without knowing anything about its keys. */
export function descriptorOf(script: Uint8Array): string {
  const text = body(script)
  return `${text}#${checksumOf(text)}`
}

function body(script: Uint8Array): string {
  const type = typeOf(script)
  if (type === 'witness_v1_taproot') return `rawtr(${toHex(script.subarray(2))})`
  if (type === 'pubkey') return `pk(${toHex(script.subarray(1, -1))})`
  const address = addressOf(script)
  return address ? `addr(${address})` : `raw(${toHex(script)})`
}
