import { ChainUnavailable } from '../../chain.ts'
import { RpcError } from '../rpc.ts'
import { backoffMs } from '../../../lib/pause.ts'
import { postpone } from './send-states.ts'
import type { Driver, Send } from './send.ts'

const longestMs = 30_000
/** This many timeouts without a success in between mean that the node is down, and not that single calls are too expensive for it. */
const maxTimeouts = 2

export const backOffMs = ({ chain }: Pick<Driver, 'chain'>, { failures }: Pick<Send, 'failures'>): number =>
  backoffMs(failures + 1, { firstMs: chain.config.pollMs, longestMs })

/** If a step throws, its send is postponed and the next goes ahead. After `maxTimeouts` it throws, since the round would last too long. */
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
