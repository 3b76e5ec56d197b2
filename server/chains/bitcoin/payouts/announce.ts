import { type Driver, reportOutcome } from './driver.ts'
import type { BoundPayout } from './payout-queue.ts'
import { markAnnounced } from './payout-states.ts'

/** Reports each transaction of a payout once, when it is broadcast or, at the latest, when it is mined. */
export async function announce(driver: Driver, payout: BoundPayout, txid: string): Promise<void> {
  if (payout.announced.includes(txid)) return
  await reportOutcome(driver, payout, { state: 'broadcast', txHash: txid }, (tx) => markAnnounced(tx, payout, txid))
}
