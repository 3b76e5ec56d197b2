import { withLease } from '../../../database/lease.ts'
import { transaction } from '../../../database/transaction.ts'
import { backoffMs, pause } from '../../../lib/pause.ts'
import type { Position } from '../../feed.ts'
import type { PayoutPorts, Payouts, ReopenPorts } from '../../payouts.ts'
import { queueWakeup, type QueueWakeup } from '../../queue-wakeup.ts'
import { type CompareNodes, secondNode } from '../../second-node.ts'
import type { BitcoinConfig } from '../bitcoin-config.ts'
import { createBitcoinSigner } from '../signer.ts'
import type { BitcoinSource } from '../source.ts'
import { eachInTurn } from '../../../lib/each-in-turn.ts'
import { type Driver, type IncludedTransaction } from './driver.ts'
import { followPayouts } from './follow-payouts.ts'
import {
  type BoundPayout,
  confirmedPayoutsGone,
  hasOpenPayouts,
  insertPayout,
  ordersOfTransactions,
  payoutMetrics,
} from './payout-queue.ts'
import { markPayoutLost, markReopened } from './payout-states.ts'
import { sendPayouts } from './send-payouts.ts'

export interface BitcoinPayoutsParts {
  readonly config: BitcoinConfig
  readonly source: Pick<BitcoinSource, 'broadcast' | 'feeRates' | 'head'>
  /** It is absent with a single node. */
  readonly compareNodes?: CompareNodes<IncludedTransaction>
}

/**
 * A payout spends coins of its order's address, and whatever is signed for it spends the same ones, so only one transaction of them can ever be
 * mined. The process with the chain's lease signs, stores the bytes, and only then broadcasts.
 */
export function bitcoinPayouts(parts: BitcoinPayoutsParts): Payouts {
  const { chainId } = parts.config
  const wakeup = queueWakeup()
  return {
    enqueue: async (sql, payout) => {
      if (payout.swap || payout.token !== null) throw new Error(`payout ${payout.id} is not in bitcoins`)
      await insertPayout(sql, chainId, payout)
      wakeup.wake()
    },
    run: async (ports, signal) => {
      const { sql, onProblem, leaseRetryMs: retryMs = 250 } = ports
      while (!signal.aborted) {
        try {
          await withLease(sql, `till:sender:${chainId}`, { retryMs, signal }, (held) => work(driverOf(parts, ports), wakeup, held))
        } catch (error) {
          onProblem(error)
          await pause(retryMs, signal)
        }
      }
    },
    ordersOf: ordersOfTransactions,
    reopen: (ports, _, last) => reopen(parts.config, ports, last),
    markLost: markPayoutLost,
    metrics: (sql) => payoutMetrics(sql, chainId),
    // Transactions pay for themselves.
    funds: async () => ({ coin: 0n, settlements: undefined }),
  }
}

function driverOf({ config, source, compareNodes }: BitcoinPayoutsParts, ports: PayoutPorts): Driver {
  const { sql, report, onProblem, onSecondNode, clock = () => performance.now() } = ports
  const agreed =
    compareNodes &&
    secondNode({
      compare: compareNodes,
      isRequired: config.requireSecondNode,
      clock,
      onAnswer: ({ txHash, height }, answer) => onSecondNode?.({ txHash, position: height }, answer),
    })
  return { sql, config, source, signer: createBitcoinSigner(config.account), report, agreed, onProblem, broadcastAt: new Map() }
}

async function work(driver: Driver, wakeup: QueueWakeup, signal: AbortSignal): Promise<void> {
  const { sql, config, onProblem } = driver
  let failures = 0
  while (!signal.aborted) {
    try {
      if (await hasOpenPayouts(sql, config.chainId)) {
        await eachInTurn([sendPayouts, followPayouts], (step) => step(driver, signal))
      }
      failures = 0
      await wakeup.sleep(config.pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      onProblem(error)
      await pause(backoffMs(failures++, { firstMs: config.pollMs, longestMs: 30_000 }), signal)
    }
  }
}

/** What the feed has read says whether a final transaction still stands, so no node is asked, and nothing can be retried in vain. */
async function reopen(config: BitcoinConfig, ports: ReopenPorts, last: Position | undefined): Promise<boolean> {
  let isDone = true
  for (const payout of await confirmedPayoutsGone(ports.sql, config.chainId, last?.height)) {
    try {
      await reopenPayout(config, ports, payout)
    } catch (error) {
      isDone = false
      ports.log.error({ err: error, chain: config.chainId, send: payout.id }, 'cannot reopen a send that a reorganisation undid; retrying')
    }
  }
  return isDone
}

async function reopenPayout({ chainId }: BitcoinConfig, { sql, log, report }: ReopenPorts, payout: BoundPayout): Promise<void> {
  const { id, orderId, purpose, mined } = payout
  const txHash = mined?.txid ?? ''
  await transaction(sql, async (tx) => {
    if (!(await markReopened(tx, payout))) return
    log.warn(
      { chain: chainId, order: orderId, send: id, tx: txHash },
      'a reorganisation deeper than the confirmations removed a final transaction of ours; broadcasting it again',
    )
    await report(tx, { id, chainId, purpose }, { state: 'unmined', txHash })
  })
}
