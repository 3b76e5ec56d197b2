import type { Chain } from '../chains/chain.ts'
import { withLease } from '../database/lease.ts'
import { backoffMs, pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import { type ReportsByKind, reportToOrder } from '../outgoing/settle.ts'
import { observerOf } from './observer.ts'

/** The holder of the chain's lease follows its feed. Every step may be repeated, because orders recognise transfers by key. */
export async function watch(engine: Engine, chain: Chain, signal: AbortSignal, others: ReportsByKind = {}): Promise<void> {
  const { sql, log } = engine
  const observer = observerOf(engine, chain, reportToOrder(engine, others))
  let failures = 0
  while (!signal.aborted) {
    try {
      await withLease(sql, `till:watch:${chain.id}`, { retryMs: 500, signal }, async (held) => {
        const follow = chain.feed.follower({ sql, log, observer })
        while (!held.aborted) {
          await follow(held)
          failures = 0
        }
      })
    } catch (error) {
      if (signal.aborted) return
      failures++
      const wait = backoffMs(failures, { firstMs: 100, longestMs: 15_000 }) * (0.5 + Math.random() / 2)
      log.warn({ err: error, chain: chain.id, waitMs: Math.round(wait) }, 'cannot watch a chain; retrying')
      await pause(wait, signal)
    }
  }
}
