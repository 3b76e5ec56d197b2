import { ChainUnavailable } from '../chain.ts'
import type { Agreed } from '../second-node.ts'
import type { Receipt } from './receipt.ts'
import { type Log, type LogFilter, type NodeReceipt, receiptCall, receiptOf } from './rpc-calls.ts'
import type { Rpc } from './rpc.ts'

const receiptsPerRequest = 50

/**
 * One node has returned the logs of these transactions. Returns those in their receipts once two nodes agree on every one of them, and
 * undefined until then.
 */
export async function agreedLogs(
  rpc: Rpc,
  agreed: Agreed<Receipt>,
  txHashes: readonly string[],
  filter: LogFilter,
  signal: AbortSignal,
): Promise<readonly Log[] | undefined> {
  const { from, to } = filter
  const [addresses, topics] = [new Set(filter.addresses), new Set(filter.topics)]
  const receipts: NodeReceipt[] = []
  for (let start = 0; start < txHashes.length; start += receiptsPerRequest) {
    const calls = txHashes.slice(start, start + receiptsPerRequest).map(receiptCall)
    for (const receipt of await rpc.read(signal, ...calls)) {
      const isInRange = receipt && receipt.blockNumber >= from && receipt.blockNumber <= to
      if (!isInRange)
        throw new ChainUnavailable(rpc.chainId, 'chain_inconsistent', `logs of blocks ${from} to ${to} have no receipt there.`)
      receipts.push(receipt)
    }
  }
  const known = await agreed(receipts.map(receiptOf), signal)
  if (!txHashes.every((txHash) => known.has(txHash))) return undefined
  return receipts.flatMap(({ transactionHash, blockNumber, blockHash, logs }) =>
    logs
      .filter(({ address, topics: [topic = ''] }) => addresses.has(address) && topics.has(topic))
      .map((log) => ({ ...log, transactionHash, blockNumber, blockHash })),
  )
}
