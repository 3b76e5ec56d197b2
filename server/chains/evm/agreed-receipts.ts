import { type Agreed, secondNode, type SecondNodeAnswer, type SecondNodePorts } from '../second-node.ts'
import type { EvmNode } from './evm-node.ts'
import type { Receipt } from './receipt.ts'

/** Returns undefined on a chain with a single node. */
export function agreedReceipts(
  { compareNodes, config }: Pick<EvmNode, 'compareNodes' | 'config'>,
  { onSecondNode, clock = () => performance.now() }: SecondNodePorts,
): Agreed<Receipt> | undefined {
  if (!compareNodes) return undefined
  const onAnswer = ({ txHash, block }: Receipt, answer: SecondNodeAnswer) => onSecondNode?.({ txHash, position: block }, answer)
  return secondNode({ compare: compareNodes, isRequired: config.requireSecondNode, clock, onAnswer })
}
