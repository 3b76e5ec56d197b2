import type { Block } from '../blocks/block.ts'
import type { FilterOurs } from '../blocks/follow-blocks.ts'
import { ChainUnavailable } from '../chain.ts'
import type { EvmConfig } from './evm-config.ts'
import { receiptCall } from './rpc-calls.ts'
import { blockOf, readBlocks } from './blocks.ts'
import { readTransferLogs } from './logs.ts'
import type { Rpc } from './rpc.ts'
import { type ChainTransfer, nativeTransfer, tokenTransfer } from './transfers.ts'

const receiptsPerRequest = 50

export interface Scan {
  readonly blocks: readonly Block[]
  readonly transfers: readonly ChainTransfer[]
}

/** Only a receipt shows whether a transaction succeeded, and a block has hundreds of them, so `filterOurs` chooses which are read. */
export async function scan(
  rpc: Rpc,
  config: EvmConfig,
  range: { readonly from: number; readonly to: number },
  filterOurs: FilterOurs | undefined,
  signal: AbortSignal,
): Promise<Scan> {
  const full = await readBlocks(rpc, range.from, range.to, signal)
  const blocks = full.map(blockOf)
  const byNumber = new Map(blocks.map((block) => [block.number, block]))
  const tokens = config.tokens.flatMap((token) => token.address ?? [])

  const byLog: ChainTransfer[] = []
  for (let start = 0; start < blocks.length; start += config.maxRange) {
    for (const log of await readTransferLogs(rpc, blocks.slice(start, start + config.maxRange), tokens, signal)) {
      const transfer = tokenTransfer(config.chainId, log, byNumber.get(log.blockNumber)!)
      if (transfer) byLog.push(transfer)
    }
  }
  const native = full.flatMap((block) =>
    block.transactions.flatMap((transaction) => nativeTransfer(config.chainId, transaction, blockOf(block)) ?? []),
  )

  const ofInterest = await onlyOurs([...native, ...byLog], filterOurs)
  const succeeded = await successful(
    rpc,
    ofInterest.filter((transfer) => transfer.token === null),
    signal,
  )
  const transfers = ofInterest.filter((transfer) => transfer.token !== null || succeeded.has(transfer.txHash))
  return { blocks, transfers: transfers.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex) }
}

async function onlyOurs(transfers: ChainTransfer[], filterOurs: FilterOurs | undefined): Promise<ChainTransfer[]> {
  if (!filterOurs || transfers.length === 0) return transfers
  const wanted = await filterOurs([...new Set(transfers.map((transfer) => transfer.to))])
  return transfers.filter((transfer) => wanted.has(transfer.to))
}

async function successful(rpc: Rpc, transfers: readonly ChainTransfer[], signal: AbortSignal): Promise<Set<string>> {
  const hashes = new Set<string>()
  for (let start = 0; start < transfers.length; start += receiptsPerRequest) {
    const part = transfers.slice(start, start + receiptsPerRequest)
    const receipts = await rpc.read(signal, ...part.map((transfer) => receiptCall(transfer.txHash)))
    for (const [i, transfer] of part.entries()) {
      const receipt = receipts[i]
      if (receipt?.blockHash !== transfer.blockHash) {
        throw new ChainUnavailable(rpc.chainId, 'chain_inconsistent', `${transfer.txHash} is no longer in block ${transfer.block}.`)
      }
      if (receipt.status === 1n) hashes.add(transfer.txHash)
    }
  }
  return hashes
}
