import { readBlockCursor } from '../blocks/block-cursor.ts'
import { type BlockSource, followBlocks, withConfirmations } from '../blocks/follow-blocks.ts'
import type { Feed } from '../feed.ts'
import type { EvmConfig } from './evm-config.ts'
import type { BlockReader } from './block-reader.ts'
import { type ChainTransfer, scannedTransfer } from './transfers.ts'

export function evmFeed(config: EvmConfig, reader: BlockReader): Feed {
  const { chainId, confirmations, pollMs, maxRange } = config
  const scanned = (transfer: ChainTransfer) => ({ ...scannedTransfer(transfer), needed: confirmations })
  const source: BlockSource = {
    chainId,
    confirmations,
    pollMs,
    maxRange,
    head: reader.head,
    block: reader.block,
    scan: async (from, to, signal, filterOurs) => {
      const { blocks, transfers } = await reader.scan(from, to, signal, filterOurs)
      return { blocks, transfers: transfers.map(scanned) }
    },
  }
  return {
    follower: (tools) => followBlocks(source, tools),
    lookUp: async (txHash, signal) => {
      const found = await reader.transaction(txHash, signal)
      if (!found || found.transfers.length === 0) return found && []
      const head = await reader.head(signal)
      return found.transfers.map((transfer) => withConfirmations(scanned(transfer), head.number))
    },
    stands: async ({ height, id }, signal) => (await reader.block(height, signal))?.hash === id,
    confirmationsFor: () => confirmations,
    secondsToFinal: () => confirmations * reader.blockSeconds(),
    status: async (sql, signal) => {
      const head = await reader.head(signal)
      return { newest: head.number, read: (await readBlockCursor(sql, chainId))?.block }
    },
  }
}
