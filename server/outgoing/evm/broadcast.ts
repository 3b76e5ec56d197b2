import { askBroadcast } from '../../chains/evm/asks.ts'
import { backOffMs } from './back-off.ts'
import { markReported, markBroadcast, postpone } from './queue.ts'
import { type Attempt, type Driver, type Send, reportOutcome } from './send.ts'

/** The node has these bytes already, or their nonce is used: look for receipts. */
const alreadyKnown = /already known|known transaction|already imported|already in (the )?(mempool|pool)|nonce too low|nonce is too low/i
/** The fee is too low now. The bytes are valid; replacing them with higher fees is up to confirm-sends.ts. */
const underpriced = /underpriced|fee too low|less than block base fee|fee cap|tip.*too low/i
/** A problem of the node, or of the nonces before this one: it says nothing about these bytes. */
const temporary =
  /pool is full|rate limit|too many requests|nonce too high|nonce gap|in-flight|time(d )?out|temporar|try again|not synced|syncing/i
const insufficientFunds = /insufficient (funds|balance)/i

/** Whether the operator lacked coin, which is no fault of the bytes. */
export const isInsufficientFunds = (problem: string | undefined): boolean => problem !== undefined && insufficientFunds.test(problem)

/** Returns undefined when the node has the bytes, else why it rejects them. Rejects when the node does not answer. */
export async function broadcastBytes(
  { chain, broadcastAt }: Driver,
  { txHash, raw }: Pick<Attempt, 'txHash' | 'raw'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [answer] = await chain.rpc.attempt(signal, askBroadcast(raw))
  if ('error' in answer && !alreadyKnown.test(answer.error.reason) && !underpriced.test(answer.error.reason)) return answer.error.reason
  broadcastAt.set(txHash, performance.now())
  return undefined
}

/**
 * Broadcasts stored bytes, then reports it, once per hash. When the node rejects them the send is postponed and others go ahead; repeated
 * rejections free its nonce in the end (see empty-transaction.ts). A report that throws is retried and blocks nobody.
 */
export async function broadcast(driver: Driver, send: Send, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const refusal = await broadcastBytes(driver, attempt, signal)
  if (refusal !== undefined) {
    const problem = `the node rejects ${attempt.txHash}: ${refusal}`
    await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem, isRefusal: !temporary.test(refusal) })
    driver.onProblem(new Error(`Postponed ${send.id}; the sending queue continues without it: ${problem}.`))
    return
  }
  try {
    // An empty transaction is internal to the queue: its broadcast is not reported as the send's.
    if (attempt.isEmpty) await markBroadcast(driver.sql, send)
    else await reportOutcome(driver, send, { state: 'broadcast', txHash: attempt.txHash }, (tx) => markReported(tx, send, attempt.txHash))
  } catch (error) {
    driver.onProblem(error)
  }
}
