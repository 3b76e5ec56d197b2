import { inflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** RGBA */
  readonly data: Uint8ClampedArray
}

/** Decodes the PNGs that browsers write: eight bits per channel, not interlaced. */
export function readPng(bytes: Uint8Array): Pixels {
  const file = Buffer.from(bytes)
  const packed: Buffer[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') packed.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  const channels = file[25] === 6 ? 4 : 3
  if (file[24] !== 8 || file[28] !== 0 || (file[25] !== 2 && file[25] !== 6)) throw new Error('not the kind of PNG that browsers write')
  const rows = inflateSync(Buffer.concat(packed))
  const wide = width * channels
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  let above = new Uint8Array(wide)
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (wide + 1)]
    const row = Uint8Array.from(rows.subarray(y * (wide + 1) + 1, (y + 1) * (wide + 1)))
    for (let x = 0; x < wide; x++) {
      const [left, up, corner] = [row[x - channels] ?? 0, above[x] ?? 0, above[x - channels] ?? 0]
      row[x]! += guess(filter, left, up, corner)
      data[(y * width + Math.floor(x / channels)) * 4 + (x % channels)] = row[x]!
    }
    above = row
  }
  return { width, height, data }
}

function guess(filter: number | undefined, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left
    case 2:
      return up
    case 3:
      return (left + up) >> 1
    case 4: {
      const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
      return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
    }
    default:
      return 0
  }
}

export function cropped(
  { data, width }: Pixels,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Pixels {
  const [x, y, wide, high] = [box.x, box.y, box.width, box.height].map(Math.floor) as [number, number, number, number]
  const part = new Uint8ClampedArray(wide * high * 4)
  for (let row = 0; row < high; row++) {
    const from = ((y + row) * width + x) * 4
    part.set(data.subarray(from, from + wide * 4), row * wide * 4)
  }
  return { width: wide, height: high, data: part }
}
