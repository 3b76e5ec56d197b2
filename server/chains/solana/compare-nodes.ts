import { type AskNode, type CompareNodes, compareTwo, type NodeAnswer } from '../second-node.ts'
import { firstSlotCall, heightCall, mostStatuses, slotCall, type Status, statusesCall } from './calls.ts'
import type { ExpiredTransaction, FinalTransaction } from './payouts/driver.ts'
import type { SolanaRpc } from './rpc-client.ts'

/** Asks two nodes whether they have finalized these transactions in these slots. */
export const compareFinal = (chainId: number, nodes: readonly SolanaRpc[]): CompareNodes<FinalTransaction> =>
  compareTwo(
    chainId,
    nodes,
    inParts(async (node, part, signal) => {
      const [finalSlot, { value }] = await node.read(signal, slotCall('finalized'), statusesCall(part.map(({ txHash }) => txHash)))
      return part.map(({ slot }, i) => answerAbout(value[i] ?? null, slot, finalSlot))
    }),
  )

function answerAbout(status: Status, slot: number, finalSlot: number): NodeAnswer {
  if (status?.confirmationStatus === 'finalized') return status.slot === slot ? 'agrees' : 'differs'
  return finalSlot >= slot ? 'differs' : 'behind'
}

/** A transaction can be included in so many blocks after the one that it names. */
const validBlocks = 150
/** A block takes one slot, and some are skipped, but never half of them for so long. */
const mostSlotsPerBlock = 2

/**
 * Asks a node whether no block has included these transactions, and none can any more. That a node does not find one proves nothing if the node
 * has forgotten the blocks that could have it. One request asks for all, so that it is one node that answers.
 */
export const askExpired: AskNode<SolanaRpc, ExpiredTransaction> = inParts(async (node, part, signal) => {
  const [height, slot, first, { value }] = await node.read(
    signal,
    heightCall(),
    slotCall('finalized'),
    firstSlotCall(),
    statusesCall(part.map(({ txHash }) => txHash)),
  )
  const remembers = (blocks: number) => first <= 1 || slot - first >= blocks * mostSlotsPerBlock
  return part.map(({ lastValidHeight }, i) => {
    if (value[i]) return 'differs'
    return height > lastValidHeight && remembers(height - lastValidHeight + validBlocks) ? 'agrees' : 'behind'
  })
})

/** Asks two nodes whether no block can include these transactions any more. */
export const compareExpired = (chainId: number, nodes: readonly SolanaRpc[]): CompareNodes<ExpiredTransaction> =>
  compareTwo(chainId, nodes, askExpired)

/** Nodes answer about a limited number of transactions at once. */
function inParts<T>(ask: AskNode<SolanaRpc, T>): AskNode<SolanaRpc, T> {
  return async (node, transactions, signal) => {
    const answers: NodeAnswer[] = []
    for (let start = 0; start < transactions.length; start += mostStatuses)
      answers.push(...(await ask(node, transactions.slice(start, start + mostStatuses), signal)))
    return answers
  }
}
