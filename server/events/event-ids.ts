import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import type { Sql } from '../database/connect.ts'

/**
 * The log numbers the events of all organisations in one row, which would tell each of them how many the others have. So an id is one block
 * of AES, which contains the number and whose event it is. It is the same in every process, and nobody can make one up.
 */
export interface EventIds {
  idOf(organizationId: string, seq: number): string
  /** Returns undefined for an id that is not of this organisation. */
  seqOf(organizationId: string, id: string): number | undefined
}

const prefix = 'evt_'
const form = /^evt_[A-Za-z0-9_-]{22}$/
const numberBytes = 8

const ownerOf = (organizationId: string): Buffer => createHash('sha256').update(organizationId).digest().subarray(0, numberBytes)

export function eventIds(key: Uint8Array): EventIds {
  return {
    idOf(organizationId, seq) {
      const number = Buffer.alloc(numberBytes)
      number.writeBigUInt64BE(BigInt(seq))
      const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
      return prefix + Buffer.concat([cipher.update(Buffer.concat([number, ownerOf(organizationId)])), cipher.final()]).toString('base64url')
    },
    seqOf(organizationId, id) {
      if (!form.test(id)) return undefined
      const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(Buffer.from(id.slice(prefix.length), 'base64url')), decipher.final()])
      return block.subarray(numberBytes).equals(ownerOf(organizationId)) ? Number(block.readBigUInt64BE(0)) : undefined
    },
  }
}

export async function storedEventIds(sql: Sql): Promise<EventIds> {
  const [row] = await sql<{ key: Uint8Array }[]>`select key from event_id_keys`
  if (!row) throw new Error('the table event_id_keys is empty')
  return eventIds(row.key)
}
