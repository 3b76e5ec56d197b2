import type { Block } from '../blocks/block.ts'
import type { FilterOurs } from '../blocks/follow-blocks.ts'
import type { Scan } from './scan.ts'

/** How the parts of this family read the chain. Nothing outside of it knows a block number. */
export interface BlockReader {
  head(signal: AbortSignal): Promise<Block>
  /** Reads the present canonical block of that number, or undefined past the head. */
  block(number: number, signal: AbortSignal): Promise<Block | undefined>
  /** Finds transfers of configured tokens and native coin in [from, to]. Without `filterOurs` a busy block costs hundreds of receipts. */
  scan(from: number, to: number, signal: AbortSignal, filterOurs?: FilterOurs): Promise<Scan>
  transaction(hash: string, signal: AbortSignal): Promise<Scan | undefined>
  balances(addresses: readonly string[], token: string | null, block: number, signal: AbortSignal): Promise<bigint[]>
  /** Returns the seconds between two blocks, as far as the blocks that were read lately show them. It does not read the chain. */
  blockSeconds(): number
}
