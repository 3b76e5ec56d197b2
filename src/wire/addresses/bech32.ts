const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const
/** The checksum of a valid address has this value, by BIP-173 for witness version 0 and by BIP-350 for later versions. */
const constants = { v0: 1, later: 0x2bc830a3 } as const

export interface SegwitAddress {
  readonly prefix: string
  readonly version: number
  readonly program: readonly number[]
}

/** Decodes a SegWit address of any network by BIP-173 and BIP-350. */
export function decodeSegwit(text: string): SegwitAddress | { readonly problem: 'malformed' | 'checksum' } {
  const lower = text.toLowerCase()
  if ((text !== lower && text !== text.toUpperCase()) || text.length > 90) return { problem: 'malformed' }
  const [, prefix = '', data = ''] = /^([a-z]{1,83})1([a-z0-9]{7,})$/.exec(lower) ?? []
  const values = Array.from(data, (letter) => alphabet.indexOf(letter))
  const [version] = values
  if (version === undefined || values.includes(-1)) return { problem: 'malformed' }
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0))
  const sum = polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values])
  if (sum !== (version === 0 ? constants.v0 : constants.later)) return { problem: 'checksum' }
  const program = toBytes(values.slice(1, -6))
  if (!program || version > 16 || !isProgramLength(version, program.length)) return { problem: 'malformed' }
  return { prefix, version, program }
}

const isProgramLength = (version: number, length: number): boolean =>
  version === 0 ? length === 20 || length === 32 : length >= 2 && length <= 40

/** Regroups 5 bits into 8. What is left over must be zeros, and less than one value. */
function toBytes(values: readonly number[]): number[] | undefined {
  const bytes: number[] = []
  let bits = 0
  let rest = 0
  for (const value of values) {
    rest = ((rest << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((rest >> bits) & 0xff)
  }
  return bits < 5 && (rest & ((1 << bits) - 1)) === 0 ? bytes : undefined
}

const polymod = (values: readonly number[]): number =>
  values.reduce((sum, value) => {
    const top = sum >>> 25
    const next = ((sum & 0x1ffffff) << 5) ^ value
    return generator.reduce((rest, part, bit) => ((top >>> bit) & 1 ? rest ^ part : rest), next)
  }, 1)
