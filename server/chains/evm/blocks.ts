import type { Block } from '../blocks/block.ts'
import { ChainUnavailable } from '../chain.ts'
import { fullBlockCall, type FullBlock } from './rpc-calls.ts'
import type { Rpc } from './rpc.ts'

/** A busy block with its transactions has several hundred kilobytes, so one request reads only this many. */
const blocksPerRequest = 10

export const blockOf = ({ number, hash, parentHash, timestamp }: Block): Block => ({ number, hash, parentHash, timestamp })

/** Reads every block of [from, to] with its transactions and checks that each is the child of the one before. */
export async function readBlocks(rpc: Rpc, from: number, to: number, signal: AbortSignal): Promise<FullBlock[]> {
  const blocks: FullBlock[] = []
  for (let start = from; start <= to; start += blocksPerRequest) {
    const count = Math.min(blocksPerRequest, to - start + 1)
    const answers = await rpc.read(signal, ...Array.from({ length: count }, (_, i) => fullBlockCall(start + i)))
    for (const [i, block] of answers.entries()) {
      if (!block) throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', `the node has no block ${start + i} yet.`)
      const before = blocks.at(-1)
      if (block.number !== start + i || (before && block.parentHash !== before.hash)) {
        throw new ChainUnavailable(rpc.chainId, 'chain_inconsistent', `block ${start + i} does not follow the one before it.`)
      }
      blocks.push(block)
    }
  }
  return blocks
}
