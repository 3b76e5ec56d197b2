import { announce } from './announce.ts'
import { eachInTurn } from '../../../lib/each-in-turn.ts'
import { type Driver } from './driver.ts'
import type { Attempt, BoundPayout } from './payout-queue.ts'

/** Nodes forget transactions, so those that are in no block are broadcast again from time to time. */
const againAfterMs = 30_000

/** Broadcasts a transaction, and announces it once a node has taken it. */
export async function broadcastSend(driver: Driver, attempt: Attempt, payouts: readonly BoundPayout[], signal: AbortSignal): Promise<void> {
  const last = driver.broadcastAt.get(attempt.txid)
  if (last !== undefined && performance.now() - last < againAfterMs) return
  const refused = await driver.source.broadcast(Buffer.from(attempt.raw, 'hex'), signal)
  driver.broadcastAt.set(attempt.txid, performance.now())
  // A node that does not find the inputs may know the transaction's block before the feed has read it.
  if (refused?.why === 'missing_inputs') return
  if (refused) return driver.onProblem(new BroadcastRefused(attempt.txid, refused.message))
  await eachInTurn(payouts, (payout) => announce(driver, payout, attempt.txid))
}

export class BroadcastRefused extends Error {
  override readonly name = 'BroadcastRefused'

  constructor(txid: string, message: string) {
    super(`A node refuses transaction ${txid}: ${message}`)
  }
}
