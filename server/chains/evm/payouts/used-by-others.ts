import { encodeFunctionData, type Hex } from 'viem'
import { TillFactory } from '../contracts/artifacts/TillFactory.ts'
import { areMovesRecorded } from '../foreign-moves.ts'
import { ethCall, headerCall, requireHead } from '../rpc-calls.ts'
import { moveNonce } from '../unsigned-move.ts'
import type { Driver, Send } from './send.ts'

/**
 * Whoever has an operator's key can send what the guard has signed for us, and then our own transaction fails. What has become of the money is
 * recorded from final blocks like everything that others move, so our failure is reported only after that: until then nobody knows whether
 * the money has left. Nobody can have used our signature after `block`, which is known if our own transaction was mined.
 */
export async function isUsedByOthers(
  { sql, chain, usedAt }: Driver,
  { id, termsHash }: Pick<Send, 'id' | 'termsHash'>,
  { block }: { readonly block?: number },
  signal: AbortSignal,
): Promise<boolean> {
  if (termsHash === undefined) return false
  const { address } = chain.config.factory
  const args = [termsHash as Hex, moveNonce(id)] as const
  const call = { to: address, data: encodeFunctionData({ abi: TillFactory.abi, functionName: 'isNonceUsed', args }) }
  const [head, now] = await chain.rpc.read(signal, headerCall('latest'), ethCall(call, 'latest'))
  if (!isTrue(now)) {
    // Some nodes have no pending block. Then a use is seen only once it is mined.
    const [soon] = await chain.rpc.attempt(signal, ethCall(call, 'pending'))
    return 'value' in soon && isTrue(soon.value)
  }
  const used = block ?? usedAt.get(id) ?? requireHead(chain.id, head).number
  usedAt.set(id, used)
  if (!(await areMovesRecorded(sql, chain.id, { upTo: used, termsHash, factory: address }))) return true
  usedAt.delete(id)
  return false
}

export const usedByOthers = 'somebody else has used what the guard had signed; waiting until it is final what came of it'

const isTrue = (word: string): boolean => word !== '0x' && BigInt(word) === 1n
