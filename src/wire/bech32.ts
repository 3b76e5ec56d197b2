const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const
/** The checksum of a valid address has this value, by BIP-173 for witness version 0 and by BIP-350 for later versions. */
const constants = { v0: 1, later: 0x2bc830a3 } as const

/** Checks the form and the checksum of a SegWit address. */
export const isBech32 = (prefix: string, text: string): boolean => {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return false
  if (!lower.startsWith(`${prefix}1`) || lower.length < 14 || lower.length > 90) return false
  const data = Array.from(lower.slice(prefix.length + 1), (letter) => alphabet.indexOf(letter))
  if (data.includes(-1)) return false
  const codes = [...prefix].map((letter) => letter.charCodeAt(0))
  const sum = polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data])
  return sum === (data[0] === 0 ? constants.v0 : constants.later)
}

const polymod = (values: readonly number[]): number =>
  values.reduce((sum, value) => {
    const top = sum >>> 25
    const next = ((sum & 0x1ffffff) << 5) ^ value
    return generator.reduce((rest, part, bit) => ((top >>> bit) & 1 ? rest ^ part : rest), next)
  }, 1)
