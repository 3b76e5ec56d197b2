import { finalBlock } from '../../blocks/final-block.ts'
import { fullBlockCall, nonceCall, type Header } from '../rpc-calls.ts'
import type { EvmNode } from '../evm-node.ts'
import type { Send, Slot } from './send.ts'

/**
 * A missing receipt proves nothing, since nodes lag. So a binary search finds the block in which the account's nonce passes ours, and that
 * block contains the transaction.
 */
export async function nonceUsedElsewhere(chain: EvmNode, send: Send, slot: Slot, head: Header, signal: AbortSignal): Promise<boolean> {
  const count = async (block: number) => {
    const [nonce] = await chain.rpc.read(signal, nonceCall(slot.operator, block))
    return nonce
  }
  let after = finalBlock(chain, head.number)
  let before = slot.signedBlock
  if (after <= before || (await count(after)) <= slot.nonce || (await count(before)) > slot.nonce) return false
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if ((await count(middle)) > slot.nonce) after = middle
    else before = middle
  }
  const [block] = await chain.rpc.read(signal, fullBlockCall(after))
  const spent = block?.transactions.find((transaction) => transaction.from === slot.operator && transaction.nonce === slot.nonce)
  return spent !== undefined && send.attempts.every((attempt) => attempt.txHash !== spent.hash)
}
