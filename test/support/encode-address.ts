import { createHash } from 'node:crypto'

/** Encoders for tests. The product only reads most of these forms. */

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function encodeBase58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; value > 0n; value /= 58n) text = base58.charAt(Number(value % 58n)) + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

export function encodeBase58Check(version: number, payload: Uint8Array): string {
  const bytes = Uint8Array.from([version, ...payload])
  return encodeBase58(Uint8Array.from([...bytes, ...sha256(sha256(bytes)).subarray(0, 4)]))
}

const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

function polymod(values: readonly number[]): number {
  let sum = 1
  for (const value of values) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [bit, part] of generator.entries()) if ((top >> bit) & 1) sum ^= part
  }
  return sum
}

/** Encodes by BIP-173 for version 0 and by BIP-350 for later ones. */
export function encodeSegwit(prefix: string, version: number, program: Uint8Array): string {
  const bits = Array.from(program, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  const values = [version, ...groups.map((group) => Number.parseInt(group.padEnd(5, '0'), 2))]
  const codes = Buffer.from(prefix)
  const head = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
  const sum = polymod([...head, ...values, 0, 0, 0, 0, 0, 0]) ^ (version === 0 ? 1 : 0x2bc830a3)
  const checksum = Array.from({ length: 6 }, (_, index) => (sum >>> (5 * (5 - index))) & 31)
  return `${prefix}1${[...values, ...checksum].map((value) => bech32.charAt(value)).join('')}`
}
