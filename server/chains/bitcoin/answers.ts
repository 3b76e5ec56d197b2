import * as z from 'zod'
import type { Network } from '../../../src/wire/addresses/codec.ts'
import type { Block } from '../blocks/block.ts'
import { ChainUnavailable } from '../chain.ts'
import { codes } from './node-rpc.ts'
import { hasWork, parseHeader } from './raw-block.ts'
import { parseTransaction } from './raw-transaction.ts'
import type { Refused } from './source.ts'

/** The shapes that sources answer in, and the checks that every answer has to pass. */

export const Hash = z.string().regex(/^[0-9a-f]{64}$/)
export const Height = z.int().min(0).max(2_147_483_647)
export const Hex = z
  .string()
  .regex(/^(?:[0-9a-f]{2})*$/i)
  .transform((text) => Buffer.from(text, 'hex'))

const inconsistent = (chainId: number, message: string) => new ChainUnavailable(chainId, 'chain_inconsistent', message)

interface AskedHeader {
  readonly hash: string
  readonly height: number
  readonly network: Network
}

/** A header has to have the hash under which it was asked for, and to have cost its network's work. */
export function checkedHeader(chainId: number, raw: Uint8Array, { hash, height, network }: AskedHeader, name: string): Block {
  const header = raw.length === 80 ? parseHeader(raw) : undefined
  if (header?.hash !== hash) throw inconsistent(chainId, `${name} answered with another header than that of block ${hash}.`)
  if (!hasWork(header, network)) throw inconsistent(chainId, `${name} answered with block ${hash}, which nobody has mined.`)
  return { number: height, hash, parentHash: header.parentHash, timestamp: header.timestamp }
}

/** A transaction that waits has to have the hash under which it was asked for, and one that nobody can read is left out. */
export const isTransaction = (raw: Uint8Array, txid: string): boolean => parseTransaction(raw)?.txid === txid

export function requireTransaction(chainId: number, raw: Uint8Array, txid: string, name: string): Uint8Array {
  if (!isTransaction(raw, txid)) throw inconsistent(chainId, `${name} answered with another transaction than ${txid}.`)
  return raw
}

export interface Outpoint {
  readonly txid: string
  readonly vout: number
}

export function outpointOf(text: string): Outpoint {
  const [txid = '', vout = ''] = text.split(':')
  return { txid, vout: Number(vout) }
}

/** A node has one code for everything that its policy refuses, and says in words what it is. */
export function refusalOf({ code, message }: { readonly code: number; readonly message: string }): Refused | undefined {
  switch (code) {
    case codes.alreadyMined:
      return undefined
    case codes.verify:
      return { why: /missing-?or-?spent|missing-?inputs/i.test(message) ? 'missing_inputs' : 'other', message }
    case codes.rejected: {
      if (/txn-already-(?:known|in-mempool)/i.test(message)) return undefined
      if (/missing-?or-?spent|missing-?inputs|txn-mempool-conflict|spends-conflicting-tx/i.test(message))
        return { why: 'missing_inputs', message }
      return { why: /insufficient fee|fee not met|mempool full/i.test(message) ? 'fee_too_low' : 'other', message }
    }
    default:
      return { why: 'other', message }
  }
}
