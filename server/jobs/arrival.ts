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
    seenAt: engine.clock(),
    needed: chain.confirmations,
  }
}
