import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { PayoutMetrics } from '../chains/payouts.ts'
import { logLag } from '../events/log.ts'
import type { Sql } from '../database/connect.ts'

interface Check {
  readonly ok: boolean
  /** Says why somebody should look at a check that still works. */
  readonly degraded?: string
  readonly [more: string]: unknown
}

export interface Health {
  readonly ready: boolean
  readonly degraded: boolean
  readonly checks: Readonly<Record<string, Check>>
}

/** An old send only degrades the check: all processes share the queue, so taking them out of rotation would stop other chains too. */
function queueState({ oldestUnsent, oldestUnmined, oldestUnsettled }: PayoutMetrics, warnAfterMs: number): Record<string, unknown> {
  const isOld = oldestUnsettled !== undefined && oldestUnsettled * 1000 > warnAfterMs
  return {
    oldest_unsent_s: oldestUnsent ?? null,
    oldest_unmined_s: oldestUnmined ?? null,
    oldest_unsettled_s: oldestUnsettled ?? null,
    ...(isOld ? { degraded: `A transaction has been waiting for ${oldestUnsettled} s.` } : {}),
  }
}

const timeoutMs = 2_000
const cacheForMs = 1_000

/** A query has no deadline of its own where the connection is dead or all connections are taken. */
async function answered<T>(work: Promise<T>, by = 'The database'): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${by} does not answer.`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Load balancers poll this often, so the answer is cached for a second. */
export function healthOf(parts: {
  sql: Sql
  chains: ReadonlyMap<ChainId, Chain>
  warnAfterMs: number
  isStopping: () => boolean
  clock: () => number
}): () => Promise<Health> {
  let cached: { health: Promise<Health>; until: number } | undefined
  const attempt = async (work: () => Promise<Record<string, unknown>>): Promise<Check> => {
    try {
      return { ok: true, ...(await work()) }
    } catch (error) {
      return { ok: false, problem: error instanceof Error ? error.message : 'unknown' }
    }
  }
  const look = async (): Promise<Health> => {
    const database = attempt(async () => {
      const lagMs = await answered(logLag(parts.sql))
      return { event_lag_ms: Math.round(lagMs) }
    })
    const chains = [...parts.chains.values()].map(async (chain): Promise<[string, Check]> => [
      `chain_${chain.id}`,
      await attempt(async () => {
        const { newest, read } = await answered(chain.feed.status(parts.sql, AbortSignal.timeout(timeoutMs)), 'The node or the database')
        const queue = await answered(chain.payouts.metrics(parts.sql))
        return { head: newest, seen: read ?? null, ...queueState(queue, parts.warnAfterMs) }
      }),
    ])
    const checks = Object.fromEntries([['database', await database] as const, ...(await Promise.all(chains))])
    const all = Object.values(checks)
    return {
      ready: !parts.isStopping() && all.every((check) => check.ok),
      degraded: all.some((check) => !check.ok || check.degraded !== undefined),
      checks,
    }
  }
  return () => {
    if (!cached || cached.until <= parts.clock() || parts.isStopping()) cached = { health: look(), until: parts.clock() + cacheForMs }
    return cached.health
  }
}
