import { encode } from 'uqr'

/** The pixels follow this header and two colours. */
const pixelsAt = 32

/**
 * A code is an image of one bit for each module, because the same code as a path is six times as long. The format is BMP with its oldest header,
 * which every browser reads and whose rows are not compressed. The drawing (qr.tsx) adds the border.
 */
export const encodeQr = (text: string): { size: number; image: string } => {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const rowBytes = Math.ceil(size / 32) * 4
  const file = new Uint8Array(pixelsAt + rowBytes * size)
  // "BM", where the pixels begin, the header's length, width, height, one plane of one bit, and white before black.
  file.set([0x42, 0x4d])
  file.set([pixelsAt, 0, 0, 0, 12, 0, 0, 0, size, 0, size, 0, 1, 0, 1, 0, 0xff, 0xff, 0xff], 10)
  data.forEach((row, y) =>
    row.forEach((isDark, x) => {
      // The first row of the file is the lowest.
      const at = pixelsAt + rowBytes * (size - 1 - y) + (x >> 3)
      if (isDark) file[at] = file[at]! | (0x80 >> (x & 7))
    }),
  )
  return { size, image: `data:image/bmp;base64,${btoa(String.fromCharCode(...file))}` }
}
