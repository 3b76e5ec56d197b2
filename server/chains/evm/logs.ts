import type { Block } from '../chain.ts'
import { ChainUnavailable } from '../chain-unavailable.ts'
import { askHeader, askLogs, type Log } from './asks.ts'
import { insist, type Rpc } from './rpc.ts'
import type { RpcError } from './rpc-error.ts'
import { transferTopic } from './transfers.ts'

/**
 * Transfer logs of all tokens in the blocks given.
 *
 * 1. One request for the whole range; when the node finds that too much, two for its halves.
 * 2. A node that is behind answers a range it does not know yet with "nothing", which would lose money silently. So the
 *    last block is asked for in the same request: who has it, has the range.
 * 3. A log whose block is not the block we hold belongs to another history: nothing is believed.
 */
export async function readLogs(rpc: Rpc, blocks: readonly Block[], tokens: readonly string[], signal: AbortSignal): Promise<Log[]> {
  const first = blocks[0]
  const last = blocks.at(-1)
  if (!first || !last || tokens.length === 0) return []
  const filter = { from: first.number, to: last.number, addresses: tokens, topic: transferTopic }
  const [logs, header] = await rpc.attempt(signal, askLogs(filter), askHeader(last.number))
  if ('error' in logs && blocks.length > 1 && isTooMuch(logs.error)) {
    const half = Math.ceil(blocks.length / 2)
    return [...(await readLogs(rpc, blocks.slice(0, half), tokens, signal)), ...(await readLogs(rpc, blocks.slice(half), tokens, signal))]
  }
  const found = insist(rpc.chainId, logs)
  const hashes = new Map(blocks.map((block) => [block.number, block.hash]))
  const agrees = found.every((log) => !log.removed && hashes.get(log.blockNumber) === log.blockHash)
  if (!agrees || insist(rpc.chainId, header)?.hash !== last.hash) {
    throw new ChainUnavailable(
      rpc.chainId,
      'chain_inconsistent',
      `blocks ${first.number} to ${last.number} changed while their logs were read.`,
    )
  }
  return found
}

/** Providers agree on no code and no words for "that range is too long" or "that answer is too large". */
function isTooMuch({ rpcCode, reason }: RpcError): boolean {
  return rpcCode === -32005 || /more than|range|limit|too (many|large|big|wide)|exceed|timed? ?out|reduce/i.test(reason)
}
