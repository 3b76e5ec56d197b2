import type { Sql, Tx } from '../../../database/connect.ts'
import { termsHash } from '../../../../src/wire/terms/terms-hash.ts'
import { withLease } from '../../../database/lease.ts'
import { backoffMs, pause } from '../../../lib/pause.ts'
import type { Payout, PayoutPorts, Payouts } from '../../payouts.ts'
import { agreedReceipts } from '../agreed-receipts.ts'
import type { EvmNode } from '../evm-node.ts'
import { type Settling, settleCall } from '../factory-calls.ts'
import { approveMoves } from './approve-moves.ts'
import { confirmSends } from './confirm-sends.ts'
import { funds } from './funds.ts'
import { queueMetrics } from './queue-metrics.ts'
import { queueWakeup, type QueueWakeup } from '../../queue-wakeup.ts'
import { hasOpenSends, insertSend } from './queue.ts'
import { markLost } from './send-states.ts'
import { ordersOfSends } from './orders-of-sends.ts'
import { reopenSends } from './reopen-sends.ts'
import type { Driver, SendRequest } from './send.ts'
import { submit } from './submit.ts'

/**
 * All transactions on a chain go through one queue in PostgreSQL. The process with the chain's lease signs, stores the bytes, and only then
 * broadcasts. A replacement keeps the nonce, and every hash of a nonce stays stored, since any of them may be mined.
 */
export interface EvmPayouts extends Payouts {
  /** Enqueues a call that is no payout: a transfer that a payer has signed, or the deployment of a payer's wallet. */
  enqueueCall(sql: Tx | Sql, request: Omit<SendRequest, 'chainId'>): Promise<void>
}

export function evmPayouts(chain: EvmNode): EvmPayouts {
  const wakeup = queueWakeup()
  const enqueueCall: EvmPayouts['enqueueCall'] = async (sql, request) => {
    await insertSend(sql, { ...request, chainId: chain.id })
    wakeup.wake()
  }
  return {
    enqueueCall,
    enqueue: (sql, payout) => enqueueCall(sql, sendOf(chain, payout)),
    run: async (ports, signal) => {
      const { sql, onProblem, leaseRetryMs: retryMs = 250 } = ports
      while (!signal.aborted) {
        try {
          await withLease(sql, `till:sender:${chain.id}`, { retryMs, signal }, (held) => work(ports, chain, wakeup, held))
        } catch (error) {
          onProblem(error)
          await pause(retryMs, signal)
        }
      }
    },
    ordersOf: ordersOfSends,
    reopen: (ports, signal, last) => reopenSends(chain, ports, signal, last),
    markLost,
    metrics: (sql) => queueMetrics(sql, chain.id),
    funds: (sql, signal) => funds(sql, chain, signal),
  }
}

/** What the terms allow is encoded at once, and anything else once the guard has signed for it. */
function sendOf(chain: EvmNode, payout: Payout): Omit<SendRequest, 'chainId'> {
  const { id, orderId, terms, token, legs, swap, reason, priority, tenant, alone = tenant === undefined, purpose } = payout
  if (!terms) throw new Error(`order ${orderId} has no terms, so the factory moves nothing for it`)
  const shared = { id, priority, tenant, purpose, termsHash: `0x${termsHash(terms)}` }
  if (reason) {
    const conversion = swap && { amountIn: swap.amountIn, minOut: swap.minOut, slippageBps: swap.slippageBps }
    const move = { terms, tokenIn: swap ? swap.tokenIn : token, tokenOut: token, legs: swap ? legs.slice(1) : legs, conversion, reason }
    return { ...shared, to: terms.factory.toLowerCase(), data: '0x', value: 0n, move }
  }
  const [toRecipient, fees] = legs
  if (!toRecipient || legs.length > 2 || swap) throw new Error(`payout ${id} is not a settlement that the terms allow`)
  const settling: Settling = { terms, chainId: chain.id, token, toRecipient: toRecipient.amount, fee: fees?.amount ?? 0n }
  return { ...shared, ...settleCall(settling), mayShare: !alone }
}

async function work(ports: PayoutPorts, chain: EvmNode, wakeup: QueueWakeup, signal: AbortSignal): Promise<void> {
  const { sql, report, onProblem } = ports
  const agreed = agreedReceipts(chain, ports)
  const driver: Driver = { sql, chain, report, agreed, onProblem, wake: () => wakeup.wake(), broadcastAt: new Map(), usedAt: new Map() }
  await Promise.all([drive(driver, wakeup, signal), approveMoves(driver, signal)])
}

async function drive(driver: Driver, wakeup: QueueWakeup, signal: AbortSignal): Promise<void> {
  const { sql, chain, onProblem } = driver
  const { pollMs } = chain.config
  let confirmAt = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      const isTime = performance.now() >= confirmAt
      if (isTime) confirmAt = performance.now() + pollMs
      if (await hasOpenSends(sql, chain.id)) {
        if (isTime) await confirmSends(driver, signal)
        await submit(driver, signal)
      }
      failures = 0
      await wakeup.sleep(Math.max(1, confirmAt - performance.now()), signal)
    } catch (error) {
      if (signal.aborted) return
      onProblem(error)
      await pause(backoffMs(failures++, { firstMs: pollMs, longestMs: 30_000 }), signal)
    }
  }
}
