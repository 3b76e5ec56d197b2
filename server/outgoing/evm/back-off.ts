import { ChainUnavailable } from '../../chains/chain.ts'
import { RpcError } from '../../chains/evm/rpc.ts'
import { backoffMs } from '../../lib/pause.ts'
import { postpone } from './queue.ts'
import type { Driver, Send } from './send.ts'

const longestMs = 30_000
/** This many timeouts without a success in between mean that the node is down, and not that single calls are too expensive for it. */
const maxTimeouts = 2

/** The wait doubles with each consecutive failure, up to `longestMs`. */
export const backOffMs = ({ chain }: Pick<Driver, 'chain'>, { failures }: Pick<Send, 'failures'>): number =>
  backoffMs(failures + 1, { firstMs: chain.config.pollMs, longestMs })

/**
 * Runs one send's step in isolation: if it throws, that send is postponed and logged, and the next one goes ahead. After `maxTimeouts`
 * timeouts without a success it throws and so ends the round, which would otherwise last as long as all timeouts together.
 */
export function isolated(driver: Driver, signal: AbortSignal): (send: Send, step: () => Promise<void>) => Promise<void> {
  let timeouts = 0
  return async (send, step) => {
    try {
      await step()
      timeouts = 0
    } catch (error) {
      signal.throwIfAborted()
      await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem: error instanceof Error ? error.message : String(error) })
      const isTimeout = error instanceof ChainUnavailable && !(error.cause instanceof RpcError)
      if (isTimeout && ++timeouts >= maxTimeouts) throw error
      driver.onProblem(error)
    }
  }
}
