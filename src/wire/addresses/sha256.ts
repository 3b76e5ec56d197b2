/**
 * SHA-256 (FIPS 180-4) for checksums of a few bytes. The browser's own is asynchronous, and a package for it would be shared with wallets'
 * code, which would then have to load one more file before a payer can connect.
 */
const constants = Uint32Array.of(
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5],
  ...[0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174],
  ...[0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da],
  ...[0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967],
  ...[0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85],
  ...[0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070],
  ...[0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2],
)
const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

export function sha256(message: Uint8Array): Uint8Array {
  // One bit and zeros fill the last block, which ends with the length of the message in bits.
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 4, message.length * 8)
  const hash = Uint32Array.from(initial)
  for (let offset = 0; offset < padded.length; offset += 64) compress(hash, view, offset)
  const bytes = new DataView(new ArrayBuffer(32))
  hash.forEach((word, index) => bytes.setUint32(index * 4, word))
  return new Uint8Array(bytes.buffer)
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function compress(hash: Uint32Array, view: DataView, offset: number): void {
  const schedule = new Uint32Array(64)
  const word = (index: number) => schedule[index] ?? 0
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let i = 0; i < 64; i++) {
    const [early, late] = [word(i - 15), word(i - 2)]
    schedule[i] =
      i < 16
        ? view.getUint32(offset + i * 4)
        : word(i - 16) +
          (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
          word(i - 7) +
          (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10))
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (constants[i] ?? 0) + word(i)) | 0
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    ;[a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g]
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) hash[index] = (hash[index] ?? 0) + value
}
