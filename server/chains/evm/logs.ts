import type { Block } from '../blocks/block.ts'
import { ChainUnavailable } from '../chain.ts'
import { headerCall, logsCall, type Log } from './rpc-calls.ts'
import { requireValue, type Rpc, type RpcError } from './rpc.ts'
import { transferTopic } from './transfers.ts'

/**
 * 1. One request covers the whole range. When the node rejects it as too large, one request covers each half.
 * 2. A node that lags returns no logs for blocks that it does not know yet, which would silently lose money. So the last block is requested
 * in the same batch, since a node that has it has the whole range.
 * 3. A log from another block than the one that we read shows a reorganisation, and then no part of the answer is used.
 */
export async function readLogs(rpc: Rpc, blocks: readonly Block[], tokens: readonly string[], signal: AbortSignal): Promise<Log[]> {
  const first = blocks[0]
  const last = blocks.at(-1)
  if (!first || !last || tokens.length === 0) return []
  const filter = { from: first.number, to: last.number, addresses: tokens, topic: transferTopic }
  const [logs, header] = await rpc.attempt(signal, logsCall(filter), headerCall(last.number))
  if ('error' in logs && blocks.length > 1 && isRangeTooLarge(logs.error)) {
    const half = Math.ceil(blocks.length / 2)
    return [...(await readLogs(rpc, blocks.slice(0, half), tokens, signal)), ...(await readLogs(rpc, blocks.slice(half), tokens, signal))]
  }
  const found = requireValue(rpc.chainId, logs)
  const hashes = new Map(blocks.map((block) => [block.number, block.hash]))
  const isConsistent = found.every((log) => !log.removed && hashes.get(log.blockNumber) === log.blockHash)
  if (!isConsistent || requireValue(rpc.chainId, header)?.hash !== last.hash) {
    throw new ChainUnavailable(
      rpc.chainId,
      'chain_inconsistent',
      `blocks ${first.number} to ${last.number} changed while their logs were read.`,
    )
  }
  return found
}

/** Providers share no error code or wording for a range or a result that is too large, so their messages are matched. */
function isRangeTooLarge({ rpcCode, reason }: RpcError): boolean {
  return rpcCode === -32005 || /more than|range|limit|too (many|large|big|wide)|exceed|timed? ?out|reduce/i.test(reason)
}
