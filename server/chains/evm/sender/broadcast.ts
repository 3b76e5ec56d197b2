import { ChainUnavailable } from '../../ChainUnavailable.ts'
import { askBroadcast } from '../asks.ts'
import { markAnnounced } from './queue.ts'
import type { Attempt, Driver, Send } from './send.ts'
import { tell } from './tell.ts'

/** The node has these bytes, or has no more use for them: look for receipts. */
const known = /already known|known transaction|already imported|already in (the )?(mempool|pool)|nonce too low|nonce is too low/i
/** The price is too low now. The bytes are good, and replacing them by dearer ones is the watcher's business. */
const tooCheap = /underpriced|fee too low|less than block base fee|fee cap|tip.*too low/i

/** Gives the bytes to the node; throws when it takes them neither now nor ever saw them. */
export async function giveToNode(
  { chain, broadcastAt }: Driver,
  { txHash, raw }: Pick<Attempt, 'txHash' | 'raw'>,
  signal: AbortSignal,
): Promise<void> {
  const [answer] = await chain.rpc.attempt(signal, askBroadcast(raw))
  if ('error' in answer && !known.test(answer.error.reason) && !tooCheap.test(answer.error.reason)) {
    throw new ChainUnavailable(chain.id, 'chain_unavailable', `the node refuses ${txHash}: ${answer.error.reason}.`, {
      cause: answer.error,
    })
  }
  broadcastAt.set(txHash, performance.now())
}

/** Broadcasts what was written down, then says so, once per hash. A report that throws is tried again, and holds up nobody. */
export async function broadcast(driver: Driver, send: Send, attempt: Attempt, signal: AbortSignal): Promise<void> {
  await giveToNode(driver, attempt, signal)
  try {
    await tell(driver, send, { state: 'broadcast', txHash: attempt.txHash }, (tx) => markAnnounced(tx, send, attempt.txHash))
  } catch (error) {
    driver.problem(error)
  }
}
