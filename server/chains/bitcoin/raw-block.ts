import { BTCArray, RawTx } from '@scure/btc-signer/script.js'
import type { Network } from '../../../src/wire/addresses/codec.ts'
import { fromId, hash256, toId } from './hash256.ts'
import { type RawTransaction, toTransaction } from './raw-transaction.ts'

export interface RawHeader {
  readonly hash: string
  readonly parentHash: string
  readonly merkleRoot: string
  readonly timestamp: number
  /** The hash has to be at most this. */
  readonly target: bigint
}

export interface RawBlock extends RawHeader {
  readonly transactions: readonly RawTransaction[]
}

const headerBytes = 80
const Transactions = BTCArray(RawTx)

/** Reads the header that begins a block. The hash is computed, so it is the one that these bytes have. */
export function parseHeader(raw: Uint8Array): RawHeader | undefined {
  if (raw.length < headerBytes) return undefined
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, headerBytes)
  return {
    hash: toId(hash256(bytes)),
    parentHash: toId(bytes.subarray(4, 36)),
    merkleRoot: toId(bytes.subarray(36, 68)),
    timestamp: bytes.readUInt32LE(68),
    target: targetOf(bytes.readUInt32LE(72)),
  }
}

/** The first byte is the length of the number, and the others are its first three bytes. */
const targetOf = (bits: number): bigint => (BigInt(bits & 0x7fffff) << BigInt(8 * (bits >>> 24))) >> 24n

/** On the main network a node that invents blocks has to do at least a ten-thousandth of the work that a real one took in 2025. */
const easiest: Readonly<Record<Network, bigint>> = { main: 1n << 190n, test: 1n << 236n, local: 1n << 255n }

export const hasWork = ({ hash, target }: Pick<RawHeader, 'hash' | 'target'>, network: Network): boolean =>
  target <= easiest[network] && BigInt(`0x${hash}`) <= target

/** Returns undefined unless the bytes are a block whose transactions are those that its header commits to. */
export function parseBlock(raw: Uint8Array): RawBlock | undefined {
  const header = parseHeader(raw)
  if (!header) return undefined
  try {
    const transactions = Transactions.decode(raw.subarray(headerBytes)).map(toTransaction)
    const root = merkleRoot(transactions.map(({ txid }) => txid))
    return root === header.merkleRoot ? { ...header, transactions } : undefined
  } catch {
    return undefined
  }
}

/**
 * An odd level repeats its last hash, so a list whose end is written twice has the same root. No block has such a list, and none is returned
 * for it.
 */
export function merkleRoot(txids: readonly string[]): string | undefined {
  let level = txids.map(fromId)
  while (level.length > 1) {
    const pairs: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]]
      if (right && Buffer.compare(left, right) === 0) return undefined
      pairs.push(hash256(Buffer.concat([left, right ?? left])))
    }
    level = pairs
  }
  return level[0] && toId(level[0])
}
