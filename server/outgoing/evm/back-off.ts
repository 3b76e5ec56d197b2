import { ChainUnavailable } from '../../chains/chain-unavailable.ts'
import { RpcError } from '../../chains/evm/rpc-error.ts'
import { postpone } from './queue.ts'
import type { Driver, Send } from './send.ts'

const longestMs = 30_000
/** So many sends in a row that meet a silent node mean that the node is away, and not that these calls are too much for it. */
const mostSilences = 2

/** Longer after each failure in a row. */
export const backOffMs = ({ chain }: Pick<Driver, 'chain'>, { failures }: Pick<Send, 'failures'>): number =>
  Math.min(longestMs, chain.config.pollMs * 2 ** (failures + 1))

/**
 * Runs one send's step. What it throws is that send's alone: it waits, is logged, and the next one has its turn. A node that is silent for
 * several in a row ends the round, or a round would last as long as all their time-outs.
 */
export function isolated(driver: Driver, signal: AbortSignal): (send: Send, step: () => Promise<void>) => Promise<void> {
  let silences = 0
  return async (send, step) => {
    try {
      await step()
      silences = 0
    } catch (error) {
      signal.throwIfAborted()
      await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem: error instanceof Error ? error.message : String(error) })
      const isSilence = error instanceof ChainUnavailable && !(error.cause instanceof RpcError)
      if (isSilence && ++silences >= mostSilences) throw error
      driver.problem(error)
    }
  }
}
