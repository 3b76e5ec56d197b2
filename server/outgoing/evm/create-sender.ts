import type { Sql } from 'postgres'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { Receipt } from '../../chains/chain.ts'
import type { Report, Sender } from '../../chains/sender.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { backoffMs, pause } from '../../lib/pause.ts'
import { queueWakeup, type QueueWakeup } from './queue-wakeup.ts'
import { withLease } from '../../database/lease.ts'
import { hasOpenSends, insertSend } from './queue.ts'
import type { Driver } from './send.ts'
import { type Agreed, secondNode, type SecondNodeAnswer } from '../second-node.ts'
import { submit } from './submit.ts'
import { confirmSends } from './confirm-sends.ts'

export interface SenderParts {
  readonly sql: Sql
  readonly chains: readonly EvmChain[]
  /** Errors that stop or delay a chain's queue, such as an unreachable node, are passed to this callback, which logs them. */
  readonly onProblem: (chainId: ChainId, error: unknown) => void
  /** What two nodes say about a final transaction. Anything but 'agrees' deserves a log line, since an order waits or has not been checked. */
  readonly onSecondNode?: (chainId: ChainId, receipt: Receipt, answer: SecondNodeAnswer) => void
  /** A monotonic clock measures how long a second node has not answered. */
  readonly clock?: () => number
  /** An operator has at most this many unmined transactions, because nodes limit the pending transactions of an account. */
  readonly maxInFlight?: number
  /** A process without the lease tries to get it at this interval. */
  readonly leaseRetryMs?: number
}

export function createSender(parts: SenderParts): Sender {
  const { sql, chains, leaseRetryMs: retryMs = 250 } = parts
  const wakeups = new Map(chains.map((chain) => [chain.id, queueWakeup()]))
  const wakeupOf = (chainId: ChainId) => {
    const wakeup = wakeups.get(chainId)
    if (!wakeup) throw new Error(`Chain ${chainId} is not configured: nothing can be sent there.`)
    return wakeup
  }
  return {
    enqueue: async (tx, request) => {
      const wakeup = wakeupOf(request.chainId)
      await insertSend(tx, request)
      wakeup.wake()
    },
    run: async (chainId, report, signal) => {
      const wakeup = wakeupOf(chainId)
      const chain = chains.find((chain) => chain.id === chainId)!
      while (!signal.aborted) {
        try {
          await withLease(sql, `till:sender:${chainId}`, { retryMs, signal }, (held) => drive(parts, chain, wakeup, report, held))
        } catch (error) {
          parts.onProblem(chainId, error)
          await pause(retryMs, signal)
        }
      }
    },
  }
}

function agreedOf(
  { onSecondNode, clock = () => performance.now() }: SenderParts,
  { id, compareNodes, config }: EvmChain,
): Agreed | undefined {
  if (!compareNodes) return undefined
  const onAnswer = (receipt: Receipt, answer: SecondNodeAnswer) => onSecondNode?.(id, receipt, answer)
  return secondNode({ compare: compareNodes, isRequired: config.requireSecondNode, clock, onAnswer })
}

async function drive(parts: SenderParts, chain: EvmChain, wakeup: QueueWakeup, report: Report, signal: AbortSignal): Promise<void> {
  const { pollMs } = chain.config
  const driver: Driver = {
    sql: parts.sql,
    chain,
    report,
    agreed: agreedOf(parts, chain),
    onProblem: (error) => parts.onProblem(chain.id, error),
    maxInFlight: parts.maxInFlight ?? 16,
    broadcastAt: new Map(),
  }
  let confirmAt = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      const isTime = performance.now() >= confirmAt
      if (isTime) confirmAt = performance.now() + pollMs
      if (await hasOpenSends(parts.sql, chain.id)) {
        if (isTime) await confirmSends(driver, signal)
        await submit(driver, signal)
      }
      failures = 0
      await wakeup.sleep(Math.max(1, confirmAt - performance.now()), signal)
    } catch (error) {
      if (signal.aborted) return
      driver.onProblem(error)
      await pause(backoffMs(failures++, { firstMs: pollMs, longestMs: 30_000 }), signal)
    }
  }
}
