import { broadcastCall } from '../rpc-calls.ts'
import { backOffMs } from './back-off.ts'
import { reportBatchBroadcast } from './batch-reports.ts'
import { markReported, markBroadcast, postpone } from './send-states.ts'
import { type Attempt, type Driver, isBatch, type Send, reportOutcome } from './send.ts'

/** The node has these bytes already, or their nonce is used. Either way confirm-sends.ts reads the outcome from the chain. */
const alreadyKnown = /already known|known transaction|already imported|already in (the )?(mempool|pool)|nonce too low|nonce is too low/i
/** The bytes are valid but their fee is too low now. confirm-sends.ts later replaces them with higher fees. */
const underpriced = /underpriced|fee too low|less than block base fee|fee cap|tip.*too low/i
/** Such a message is about the node or about earlier nonces, so it does not count against the bytes. */
const temporary =
  /pool is full|rate limit|too many requests|nonce too high|nonce gap|in-flight|time(d )?out|temporar|try again|not synced|syncing/i
const insufficientFunds = /insufficient (funds|balance)/i

/** A rejection because the operator lacks coin is not the fault of the bytes. */
export const isInsufficientFunds = (problem: string | undefined): boolean => problem !== undefined && insufficientFunds.test(problem)

/** Returns the node's reason to reject the bytes, if any but `alreadyKnown` and `underpriced`. Rejects when the node does not answer. */
export async function broadcastBytes(
  { chain, broadcastAt }: Driver,
  { txHash, raw }: Pick<Attempt, 'txHash' | 'raw'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [answer] = await chain.rpc.attempt(signal, broadcastCall(raw))
  if ('error' in answer && !alreadyKnown.test(answer.error.reason) && !underpriced.test(answer.error.reason)) return answer.error.reason
  broadcastAt.set(txHash, performance.now())
  return undefined
}

/** Rejected bytes postpone their send, and finally free its nonce (see empty-transaction.ts). A report that throws is retried. */
export async function broadcast(driver: Driver, send: Send, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const refusal = await broadcastBytes(driver, attempt, signal)
  if (refusal !== undefined) {
    const problem = `the node rejects ${attempt.txHash}: ${refusal}`
    await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem, isRefusal: !temporary.test(refusal) })
    driver.onProblem(new Error(`Postponed ${send.id}; the sending queue continues without it: ${problem}.`))
    return
  }
  try {
    // An empty transaction is internal to the queue, so its broadcast is not reported as the send's.
    if (attempt.isEmpty) await markBroadcast(driver.sql, send)
    else if (isBatch(send)) await reportBatchBroadcast(driver, send, attempt.txHash)
    else await reportOutcome(driver, send, { state: 'broadcast', txHash: attempt.txHash }, (tx) => markReported(tx, send, attempt.txHash))
  } catch (error) {
    driver.onProblem(error)
  }
}
