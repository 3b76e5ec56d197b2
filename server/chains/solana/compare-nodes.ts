import { type AskNode, type CompareNodes, compareTwo, type NodeAnswer } from '../second-node.ts'
import { heightCall, mostStatuses, slotCall, type Status, statusesCall } from './calls.ts'
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

/** Asks two nodes whether no block can include these transactions any more. */
export const compareExpired = (chainId: number, nodes: readonly SolanaRpc[]): CompareNodes<ExpiredTransaction> =>
  compareTwo(
    chainId,
    nodes,
    inParts(async (node, part, signal) => {
      const [height, { value }] = await node.read(signal, heightCall(), statusesCall(part.map(({ txHash }) => txHash)))
      return part.map(({ lastValidHeight }, i) => (value[i] ? 'differs' : height > lastValidHeight ? 'agrees' : 'behind'))
    }),
  )

/** Nodes answer about a limited number of transactions at once. */
const inParts =
  <T>(ask: AskNode<SolanaRpc, T>): AskNode<SolanaRpc, T> =>
  async (node, transactions, signal) => {
    const answers: NodeAnswer[] = []
    for (let start = 0; start < transactions.length; start += mostStatuses)
      answers.push(...(await ask(node, transactions.slice(start, start + mostStatuses), signal)))
    return answers
  }
