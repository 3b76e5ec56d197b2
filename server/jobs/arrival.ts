import type { ChainTransfer } from '../chains/chain.ts'
import type { Arrival } from '../domain/commands.ts'
import type { Engine } from './engine.ts'
import { assetOf, tokenOf } from './quoting.ts'

export const transferKey = ({ chainId, txHash, logIndex }: Pick<ChainTransfer, 'chainId' | 'txHash' | 'logIndex'>): string =>
  `${chainId}:${txHash}:${logIndex}`

/** A transfer as the order's log keeps it; undefined for a token nobody configured. */
export const arrivalOf = (engine: Engine, transfer: ChainTransfer): Arrival | undefined => {
  const token = tokenOf(engine, { chainId: transfer.chainId, address: transfer.token })
  const chain = engine.chains.get(transfer.chainId)
  if (!token || !chain || transfer.amount === 0n) return undefined
  return {
    key: transferKey(transfer),
    asset: assetOf(token),
    txHash: transfer.txHash,
    amount: transfer.amount,
    block: transfer.block,
    blockHash: transfer.blockHash,
    // Who sent in time is not late because nobody looked: the block says when it was.
    seenAt: Math.min(engine.clock(), transfer.timestamp * 1000),
    needed: chain.confirmations,
  }
}
