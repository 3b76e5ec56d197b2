import { createHash } from 'node:crypto'
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * An append-only file of records. A record is its length, the beginning of its hash, and its bytes. If a kill tears the last record, reading
 * ends before it, and the next record overwrites it.
 */
export interface Journal {
  append(record: Uint8Array): void
  close(): void
}

const headerSize = 12

export function openJournal(file: string, read: (record: Uint8Array) => void): Journal {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  let end = 0
  for (let record = recordAt(bytes, end); record; record = recordAt(bytes, end)) {
    read(record)
    end += headerSize + record.length
  }
  const fd = openSync(file, 'a', 0o600)
  ftruncateSync(fd, end)
  return {
    append: (record) => {
      const header = Buffer.alloc(headerSize)
      header.writeUInt32LE(record.length, 0)
      checksum(record).copy(header, 4)
      writeSync(fd, Buffer.concat([header, record]))
    },
    close: () => closeSync(fd),
  }
}

function recordAt(bytes: Buffer, at: number): Buffer | undefined {
  if (bytes.length < at + headerSize) return undefined
  const start = at + headerSize
  const record = bytes.subarray(start, start + bytes.readUInt32LE(at))
  const isWhole = record.length === bytes.readUInt32LE(at) && checksum(record).equals(bytes.subarray(at + 4, start))
  return isWhole ? record : undefined
}

function checksum(record: Uint8Array): Buffer {
  return createHash('sha256').update(record).digest().subarray(0, 8)
}
