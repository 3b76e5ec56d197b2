import type { Block } from '../blocks/block.ts'
import { ChainUnavailable } from '../chain.ts'
import { fullBlockCall, headerCall, type Log, type LogFilter, logsCall, receiptCall } from './rpc-calls.ts'
import { requireValue, type Rpc, type RpcError } from './rpc.ts'
import { transferTopic } from './transfers.ts'

const receiptsPerRequest = 50

export interface RangeLogs {
  readonly logs: readonly Log[]
  /** Each request ended with one of these blocks. The last of them ends the range. */
  readonly ends: readonly Pick<Block, 'number' | 'hash'>[]
}

/**
 * 1. One request covers the whole range. When the node rejects it as too large, one request covers each half.
 * 2. Anybody can fill a block with events, so a block that is too large by itself is read by its receipts.
 * 3. A node that lags returns no logs for blocks that it does not know yet, which would silently lose money. So the last block is requested
 * in the same batch, since a node that has it has the whole range. If the node does not have it, undefined is returned.
 * 4. A log that is marked as removed, or that is from another last block, shows a reorganisation, and then no part of the answer is used.
 */
export async function readLogs(rpc: Rpc, filter: LogFilter, signal: AbortSignal): Promise<RangeLogs | undefined> {
  const { from, to } = filter
  const [logs, header] = await rpc.attempt(signal, logsCall(filter), headerCall(to))
  if ('error' in logs && isRangeTooLarge(logs.error)) {
    if (from === to) return readReceipts(rpc, filter, signal)
    const middle = Math.floor((from + to) / 2)
    const first = await readLogs(rpc, { ...filter, to: middle }, signal)
    const second = first && (await readLogs(rpc, { ...filter, from: middle + 1 }, signal))
    return second && { logs: [...first.logs, ...second.logs], ends: [...first.ends, ...second.ends] }
  }
  const found = requireValue(rpc.chainId, logs)
  const last = requireValue(rpc.chainId, header)
  if (!last) return undefined
  if (found.some(({ removed, blockNumber, blockHash }) => removed || (blockNumber === to && blockHash !== last.hash)))
    throw changed(rpc, filter)
  return { logs: found, ends: [last] }
}

async function readReceipts(rpc: Rpc, filter: LogFilter, signal: AbortSignal): Promise<RangeLogs | undefined> {
  const [block] = await rpc.read(signal, fullBlockCall(filter.to))
  if (!block) return undefined
  const [addresses, topics] = [new Set(filter.addresses), new Set(filter.topics)]
  const logs: Log[] = []
  for (let start = 0; start < block.transactions.length; start += receiptsPerRequest) {
    const calls = block.transactions.slice(start, start + receiptsPerRequest).map(({ hash }) => receiptCall(hash))
    for (const receipt of await rpc.read(signal, ...calls)) {
      if (receipt?.blockHash !== block.hash) throw changed(rpc, filter)
      logs.push(...receipt.logs.filter((log) => addresses.has(log.address) && topics.has(log.topics[0] ?? '')))
    }
  }
  return { logs, ends: [block] }
}

/** Reads the transfers of these tokens in blocks that were read before, of which none may have changed since. */
export async function readTransferLogs(
  rpc: Rpc,
  blocks: readonly Block[],
  tokens: readonly string[],
  signal: AbortSignal,
): Promise<readonly Log[]> {
  const first = blocks[0]
  const last = blocks.at(-1)
  if (!first || !last || tokens.length === 0) return []
  const filter = { from: first.number, to: last.number, addresses: tokens, topics: [transferTopic] }
  const range = await readLogs(rpc, filter, signal)
  const hashes = new Map(blocks.map((block) => [block.number, block.hash]))
  if (
    !range?.ends.every(({ number, hash }) => hashes.get(number) === hash) ||
    !range.logs.every((log) => hashes.get(log.blockNumber) === log.blockHash)
  )
    throw changed(rpc, filter)
  return range.logs
}

const changed = ({ chainId }: Rpc, { from, to }: LogFilter): ChainUnavailable =>
  new ChainUnavailable(chainId, 'chain_inconsistent', `blocks ${from} to ${to} changed while their logs were read.`)

/** Providers share no error code or wording for a range or a result that is too large, so their messages are matched. */
function isRangeTooLarge({ rpcCode, reason }: RpcError): boolean {
  return rpcCode === -32005 || /more than|range|limit|too (many|large|big|wide)|exceed|timed? ?out|reduce/i.test(reason)
}
