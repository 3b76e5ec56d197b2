import { BTCArray, CompactSize, RawTx } from '@scure/btc-signer/script.js'
import { fromId, hash256, toId } from './bytes.ts'
import { decodeTransaction, toTransaction, type Transaction } from './transaction.ts'

export interface Header {
  readonly version: number
  readonly previous: string
  readonly merkleRoot: string
  readonly time: number
  readonly bits: number
  readonly nonce: number
}

/** The easiest target, which half of all hashes meet. On regtest it never changes. */
export const regtestBits = 0x207fffff
export const regtestTarget = '7fffff'.padEnd(64, '0')

/** The reserved value and the root of all wtxids are committed to by an output that begins with these bytes (BIP 141). */
const commitmentPrefix = Buffer.from('6a24aa21a9ed', 'hex')

export function encodeHeader({ version, previous, merkleRoot, time, bits, nonce }: Header): Buffer {
  const bytes = Buffer.alloc(80)
  bytes.writeInt32LE(version, 0)
  bytes.set(fromId(previous), 4)
  bytes.set(fromId(merkleRoot), 36)
  bytes.writeUInt32LE(time, 68)
  bytes.writeUInt32LE(bits, 72)
  bytes.writeUInt32LE(nonce, 76)
  return bytes
}

export function decodeHeader(raw: Uint8Array): Header {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, 80)
  return {
    version: bytes.readInt32LE(0),
    previous: toId(bytes.subarray(4, 36)),
    merkleRoot: toId(bytes.subarray(36, 68)),
    time: bytes.readUInt32LE(68),
    bits: bytes.readUInt32LE(72),
    nonce: bytes.readUInt32LE(76),
  }
}

export const hashOf = (header: Uint8Array): string => toId(hash256(header.subarray(0, 80)))

/** Tries nonces until the header's hash meets the target, which takes two tries on average. */
export function solve(header: Omit<Header, 'nonce'>): Buffer {
  const bytes = encodeHeader({ ...header, nonce: 0 })
  for (let nonce = 0; hashOf(bytes) > regtestTarget;) bytes.writeUInt32LE(++nonce, 76)
  return bytes
}

export function merkleRoot(ids: readonly string[]): string {
  let level = ids.map(fromId)
  while (level.length > 1) {
    const pairs: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) pairs.push(hash256(level[i]!, level[i + 1] ?? level[i]!))
    level = pairs
  }
  return toId(level[0]!)
}

/** The coinbase's own wtxid counts as zero, since the coinbase contains the commitment. */
export function witnessCommitment(others: readonly Transaction[]): Uint8Array {
  const root = merkleRoot(['00'.repeat(32), ...others.map(({ wtxid }) => wtxid)])
  return Buffer.concat([commitmentPrefix, hash256(fromId(root), new Uint8Array(32))])
}

export function encodeBlock(header: Uint8Array, transactions: readonly Transaction[]): Buffer {
  return Buffer.concat([header, CompactSize.encode(BigInt(transactions.length)), ...transactions.map(({ raw }) => raw)])
}

const Transactions = BTCArray(RawTx)

export const transactionCount = (block: Uint8Array): number => Number(CompactSize.decode(block.subarray(80), { allowUnreadBytes: true }))

export function transactionsOf(block: Uint8Array): Transaction[] {
  return Transactions.decode(block.subarray(80)).map(toTransaction)
}

/** The first block of every regtest chain. Its coinbase can't be spent. */
export const genesis = encodeBlock(
  encodeHeader({
    version: 1,
    previous: '00'.repeat(32),
    merkleRoot: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    time: 1_296_688_602,
    bits: regtestBits,
    nonce: 2,
  }),
  [
    decodeTransaction(
      Buffer.from(
        '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e' +
          '2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a0100' +
          '0000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c70' +
          '2b6bf11d5fac00000000',
        'hex',
      ),
    )!,
  ],
)
