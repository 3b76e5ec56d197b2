import { eachInTurn } from '../../../lib/each-in-turn.ts'
import type { Sql, Tx } from '../../../database/connect.ts'
import { withLease } from '../../../database/lease.ts'
import { backoffMs, pause } from '../../../lib/pause.ts'
import type { PayoutPorts, Payouts } from '../../payouts.ts'
import { queueWakeup, type QueueWakeup } from '../../queue-wakeup.ts'
import { secondNode } from '../../second-node.ts'
import { balanceCall } from '../calls.ts'
import { compareExpired, compareFinal } from '../compare-nodes.ts'
import { dearestRefund } from '../lamport-costs.ts'
import type { SolanaRpc } from '../rpc-client.ts'
import type { SolanaSigner } from '../signer.ts'
import { closeUnused } from './close-unused.ts'
import type { Driver, PayoutsConfig } from './driver.ts'
import { followPayouts } from './follow-payouts.ts'
import { hasOpenPayouts, insertPayout, insertTask, ordersOfTransactions, payoutMetrics, type TaskRequest } from './payout-queue.ts'
import { sendPayouts } from './send-payouts.ts'

export interface SolanaPayoutsParts {
  readonly config: PayoutsConfig
  readonly rpc: SolanaRpc
  readonly signer: SolanaSigner
  /** With two or more nodes, each of them is asked by itself. */
  readonly nodes?: readonly SolanaRpc[]
}

export interface SolanaPayouts extends Payouts {
  /** Enqueues what is no payout of ours, in the caller's transaction. An id is enqueued only once. */
  enqueueTask(sql: Tx | Sql, request: TaskRequest): Promise<void>
}

/**
 * A transaction is valid for about a minute. Another one for the same payout is signed only once no block can include the first any more, so two
 * of them never both pay. The process with the chain's lease signs, stores the bytes, and only then broadcasts.
 */
export function solanaPayouts(parts: SolanaPayoutsParts): SolanaPayouts {
  const { config, rpc, signer } = parts
  const { chainId } = config
  const wakeup = queueWakeup()
  return {
    enqueue: async (sql, payout) => {
      if (payout.swap) throw new Error(`payout ${payout.id} converts, and nothing does on chain ${chainId}`)
      await insertPayout(sql, chainId, payout)
      wakeup.wake()
    },
    enqueueTask: async (sql, request) => {
      await insertTask(sql, chainId, request)
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
    // What the cluster has finalized it never undoes.
    reopen: async () => true,
    markLost: async () => false,
    metrics: (sql) => payoutMetrics(sql, chainId),
    async funds(_, signal) {
      const [{ value: coin }] = await rpc.read(signal, balanceCall(signer.operator))
      return { coin, settlements: Number(coin / dearestRefund(config.unitPrice.most)) }
    },
  }
}

function driverOf({ config, rpc, signer, nodes }: SolanaPayoutsParts, ports: PayoutPorts): Driver {
  const { sql, report, onProblem, onSecondNode, clock = () => performance.now() } = ports
  const shared = { isRequired: config.requireSecondNode, clock }
  return {
    sql,
    config,
    rpc,
    signer,
    report,
    agreed:
      nodes &&
      secondNode({
        ...shared,
        compare: compareFinal(config.chainId, nodes),
        onAnswer: ({ txHash, slot }, answer) => onSecondNode?.({ txHash, position: slot }, answer),
      }),
    agreedExpired:
      nodes &&
      secondNode({
        ...shared,
        compare: compareExpired(config.chainId, nodes),
        onAnswer: () => {
          // Nothing final waits for this answer. How long the payout waits is in the queue's metrics.
        },
      }),
    onProblem,
    broadcastAt: new Map(),
  }
}

const closeEveryMs = 60_000

async function work(driver: Driver, wakeup: QueueWakeup, signal: AbortSignal): Promise<void> {
  const { sql, config, onProblem } = driver
  let failures = 0
  let closedAt = -Infinity
  while (!signal.aborted) {
    try {
      if (performance.now() - closedAt > closeEveryMs) {
        await closeUnused(driver, signal)
        closedAt = performance.now()
      }
      if (await hasOpenPayouts(sql, config.chainId)) {
        // What was signed is broadcast and followed, also while something else cannot be sent.
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
