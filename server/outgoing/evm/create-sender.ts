import type { Sql } from 'postgres'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { Report, Sender } from '../../chains/sender.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { createDoorbell, type Doorbell } from './queue-wakeup.ts'
import { pause } from '../../lib/pause.ts'
import { withLease } from '../../database/lease.ts'
import { hasOpenSends, insertSend } from './queue.ts'
import type { Driver } from './send.ts'
import { submit } from './submit.ts'
import { watch } from './confirm.ts'

export interface SenderParts {
  readonly sql: Sql
  readonly chains: readonly EvmChain[]
  /** What stands in the way of a chain's queue (node down, operator without coin, a report that throws): for the log. */
  readonly problem: (chainId: ChainId, error: unknown) => void
  /** Unmined transactions of one operator at a time: nodes keep few per account. */
  readonly maxInFlight?: number
  /** How often a process without the lease asks for it. */
  readonly leaseRetryMs?: number
}

export function createSender(parts: SenderParts): Sender {
  const { sql, chains, leaseRetryMs: retryMs = 250 } = parts
  const bells = new Map(chains.map((chain) => [chain.id, createDoorbell()]))
  const bellOf = (chainId: ChainId) => {
    const bell = bells.get(chainId)
    if (!bell) throw new Error(`Chain ${chainId} is not configured: nothing can be sent there.`)
    return bell
  }
  return {
    enqueue: async (tx, request) => {
      const bell = bellOf(request.chainId)
      await insertSend(tx, request)
      bell.ring()
    },
    run: async (chainId, report, signal) => {
      const bell = bellOf(chainId)
      const chain = chains.find((chain) => chain.id === chainId)!
      while (!signal.aborted) {
        try {
          await withLease(sql, `till:sender:${chainId}`, { retryMs, signal }, (held) => drive(parts, chain, bell, report, held))
        } catch (error) {
          parts.problem(chainId, error)
          await pause(retryMs, signal)
        }
      }
    },
  }
}

async function drive(parts: SenderParts, chain: EvmChain, bell: Doorbell, report: Report, signal: AbortSignal): Promise<void> {
  const { pollMs } = chain.config
  const driver: Driver = {
    sql: parts.sql,
    chain,
    report,
    problem: (error) => parts.problem(chain.id, error),
    maxInFlight: parts.maxInFlight ?? 16,
    broadcastAt: new Map(),
  }
  let watchAt = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      const isTime = performance.now() >= watchAt
      if (isTime) watchAt = performance.now() + pollMs
      if (await hasOpenSends(parts.sql, chain.id)) {
        if (isTime) await watch(driver, signal)
        await submit(driver, signal)
      }
      failures = 0
      await bell.wait(Math.max(1, watchAt - performance.now()), signal)
    } catch (error) {
      if (signal.aborted) return
      driver.problem(error)
      await pause(Math.min(pollMs * 2 ** failures++, 30_000), signal)
    }
  }
}
