import { encode } from 'uqr'

/** Adjacent dark modules of a row become one stroke, which keeps the HTML small. The drawing (qr.tsx) adds the border. */
export const encodeQr = (text: string): { size: number; path: string } => {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const rows = data.map((row, y) => {
    let path = ''
    let x = 0
    let pen = 0
    while (x < size) {
      let end = x
      while (end < size && row[end] === row[x]) end++
      if (row[x]) {
        path += path ? `m${x - pen} 0h${end - x}` : `M${x} ${y}.5h${end - x}`
        pen = end
      }
      x = end
    }
    return path
  })
  return { size, path: rows.join('') }
}
