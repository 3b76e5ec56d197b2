import { storedHashes } from '../blocks/block-cursor.ts'
import { finalBlock } from '../blocks/final-block.ts'
import type { NativeBalances } from '../feed.ts'
import type { EvmConfig } from './evm-config.ts'
import type { BlockReader } from './block-reader.ts'

/** A transaction's own value is all that a block shows of coin. What a contract forwards appears only in the receiver's balance. */
export const nativeBalances = (
  { chainId, confirmations, sweepEveryBlocks }: Pick<EvmConfig, 'chainId' | 'confirmations' | 'sweepEveryBlocks'>,
  { head, block, balances }: Pick<BlockReader, 'head' | 'block' | 'balances'>,
): NativeBalances => ({
  atLastFinal: async (addresses, signal) => {
    const final = finalBlock({ confirmations }, (await head(signal)).number)
    const last = final < 1 ? undefined : await block(final, signal)
    if (!last) return undefined
    const amounts = await balances(addresses, null, final, signal)
    return { at: { height: final, id: last.hash }, needed: confirmations, amounts }
  },
  isRead: async (sql, { height, id }) => (await storedHashes(sql, chainId, [height])).get(height) === id,
  isSweepDue: (height, newest) => newest.height - height >= sweepEveryBlocks,
})
