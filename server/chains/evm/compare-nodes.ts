import { type CompareNodes, compareTwo, type NodeAnswer } from '../second-node.ts'
import { headerCall, receiptCall, receiptOf, type Header, type NodeReceipt } from './rpc-calls.ts'
import type { Receipt } from './receipt.ts'
import type { Rpc, RpcCall } from './rpc.ts'

const receiptsPerRequest = 50

/** A block's hash covers all that came before it, so nodes that agree on a settlement's block also agree on the payments that it spends. */
export const compareNodes = (chainId: number, nodes: readonly Rpc[]): CompareNodes<Receipt> => compareTwo(chainId, nodes, answersOf)

async function answersOf(node: Rpc, receipts: readonly Receipt[], signal: AbortSignal): Promise<NodeAnswer[]> {
  const answers: NodeAnswer[] = []
  for (let start = 0; start < receipts.length; start += receiptsPerRequest) {
    const part = receipts.slice(start, start + receiptsPerRequest)
    const blocks = [...new Set(part.map(({ block }) => block))]
    const calls: RpcCall<Header | NodeReceipt | null>[] = [...blocks.map(headerCall), ...part.map(({ txHash }) => receiptCall(txHash))]
    const hashes = new Map<number, string>()
    const known = new Map<string, Receipt>()
    for (const answer of await node.read(signal, ...calls)) {
      if (!answer) continue
      if ('transactionHash' in answer) known.set(answer.transactionHash, receiptOf(answer))
      else hashes.set(answer.number, answer.hash)
    }
    answers.push(...part.map((receipt) => answerAbout(receipt, hashes.get(receipt.block), known.get(receipt.txHash))))
  }
  return answers
}

/** A node may have a block before it has the receipts in it. */
function answerAbout(receipt: Receipt, blockHash: string | undefined, known: Receipt | undefined): NodeAnswer {
  if (blockHash === undefined) return 'behind'
  if (blockHash !== receipt.blockHash) return 'differs'
  if (!known) return 'behind'
  return outcomeOf(known) === outcomeOf(receipt) ? 'agrees' : 'differs'
}

/** What a settlement paid is read from its logs, so they are compared too. */
const outcomeOf = ({ blockHash, ok, logs }: Receipt): string => JSON.stringify([blockHash, ok, logs])
