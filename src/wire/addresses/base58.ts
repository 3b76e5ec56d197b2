const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Returns undefined if a letter is not of the alphabet. The time grows with the square of the length, so callers bound it first. */
export function decodeBase58(text: string): Uint8Array | undefined {
  let value = 0n
  for (const letter of text) {
    const digit = alphabet.indexOf(letter)
    if (digit === -1) return undefined
    value = value * 58n + BigInt(digit)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const digits = value === 0n ? '' : value.toString(16)
  const bytes = digits.padStart(digits.length + (digits.length % 2), '0').match(/../g) ?? []
  return Uint8Array.from([...Array<number>(zeros).fill(0), ...bytes.map((byte) => Number.parseInt(byte, 16))])
}

export function encodeBase58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0)
  let value = bytes.reduce<bigint>((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; value > 0n; value /= 58n) text = (alphabet[Number(value % 58n)] ?? '') + text
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text
}

/** Returns the text if it stands for exactly so many bytes, up to 64. */
export const base58Of = (bytes: number, text: string): string | undefined =>
  /^[1-9A-HJ-NP-Za-km-z]{32,88}$/.test(text) && decodeBase58(text)?.length === bytes ? text : undefined
