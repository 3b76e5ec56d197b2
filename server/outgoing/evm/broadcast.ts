import { askBroadcast } from '../../chains/evm/asks.ts'
import { backOffMs } from './back-off.ts'
import { markAnnounced, markGiven, postpone } from './queue.ts'
import type { Attempt, Driver, Send } from './send.ts'
import { reportOutcome } from './report.ts'

/** The node has these bytes, or has no more use for them: look for receipts. */
const known = /already known|known transaction|already imported|already in (the )?(mempool|pool)|nonce too low|nonce is too low/i
/** The fee is too low now. The bytes are good, and replacing them by dearer ones is the watcher's business. */
const tooCheap = /underpriced|fee too low|less than block base fee|fee cap|tip.*too low/i
/** The node's trouble, or that of the nonces before this one: it says nothing about these bytes. */
const passing =
  /pool is full|rate limit|too many requests|nonce too high|nonce gap|in-flight|time(d )?out|temporar|try again|not synced|syncing/i
const poor = /insufficient (funds|balance)/i

/** Whether the operator lacked coin: no fault of the bytes. */
export const isPoor = (problem: string | undefined): boolean => problem !== undefined && poor.test(problem)

/** Undefined: the node has the bytes. Otherwise why it does not take them. Rejects when it is silent. */
export async function giveToNode(
  { chain, broadcastAt }: Driver,
  { txHash, raw }: Pick<Attempt, 'txHash' | 'raw'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [answer] = await chain.rpc.attempt(signal, askBroadcast(raw))
  if ('error' in answer && !known.test(answer.error.reason) && !tooCheap.test(answer.error.reason)) return answer.error.reason
  broadcastAt.set(txHash, performance.now())
  return undefined
}

/**
 * Broadcasts what was written down, then reports it, once per hash. Bytes that the node refuses wait, and others have their turn: what
 * counts as a refusal takes the slot from them in the end (see empty.ts). A report that throws is repeated, and holds up nobody.
 */
export async function broadcast(driver: Driver, send: Send, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const refusal = await giveToNode(driver, attempt, signal)
  if (refusal !== undefined) {
    const problem = `the node refuses ${attempt.txHash}: ${refusal}`
    await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem, isRefusal: !passing.test(refusal) })
    driver.problem(new Error(`The sending queue goes on without ${send.id} for now: ${problem}.`))
    return
  }
  try {
    // An empty transaction is the queue's own business: whoever asked for the send learns what becomes of the send.
    if (attempt.isEmpty) await markGiven(driver.sql, send)
    else await reportOutcome(driver, send, { state: 'broadcast', txHash: attempt.txHash }, (tx) => markAnnounced(tx, send, attempt.txHash))
  } catch (error) {
    driver.problem(error)
  }
}
