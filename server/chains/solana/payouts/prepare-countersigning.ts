import { getTransactionDecoder } from '@solana/kit'
import { blockhashCall, simulationCall } from '../calls.ts'
import type { Prepare } from './driver.ts'
import { openedInSlot } from './payout-queue.ts'
import { instructionOf, SimulationFailed } from './simulated.ts'

/** Until then the node may not have seen the payer's block, or the operator may get coins. */
const mostTries = 5

/**
 * A payer has signed this transaction, whose fee the operator pays. It is simulated once more before the operator signs it, which no one can undo.
 * It is never built anew, and ends with the block that it names.
 */
export const prepareCountersigning: Prepare = async ({ rpc, sql, config }, payout, _unitPrice, signal) => {
  const { given } = payout
  if (given === undefined) return { refused: 'No transaction was given.' }
  const slot = await openedInSlot(sql, config.chainId, payout.orderId)
  // One request asks for both. A node that knows the payer's block answers with a newer one, which cannot expire before it.
  const [simulated, latest] = await rpc.attempt(signal, simulationCall(given, slot), blockhashCall())
  if ('error' in latest) throw new SimulationFailed(payout.id, latest.error.message)
  const problem = 'error' in simulated ? simulated.error.message : simulated.value.value.err
  if (problem !== undefined) {
    const isWaiting = instructionOf(problem) === undefined && payout.failures + 1 < mostTries
    if (isWaiting) throw new SimulationFailed(payout.id, problem)
    return { refused: `The chain refuses it: ${JSON.stringify(problem)}.` }
  }
  const unsigned = getTransactionDecoder().decode(Buffer.from(given, 'base64'))
  return { unsigned, keys: [], lastValidHeight: latest.value.value.lastValidBlockHeight, paid: [], dust: 0n }
}
