import { pause } from '../../lib/pause.ts'

/**
 * Wakes the queue when something is enqueued. That happens inside a transaction that commits a moment later, which we cannot observe: so a
 * wake means several quick polls, at growing intervals, before the ordinary rhythm returns.
 */
export interface QueueWakeup {
  wake(): void
  /** Resolves when the next poll is due: soon after a wake, else after `ms`. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

const delays = [1, 3, 6, 10, 20, 40, 80, 160]

export function createQueueWakeup(): QueueWakeup {
  let step = delays.length
  let aborter = new AbortController()
  return {
    wake: () => {
      step = 0
      aborter.abort()
    },
    wait: async (ms, signal) => {
      aborter = new AbortController()
      const delay = delays[step++]
      if (delay !== undefined) await pause(Math.min(delay, ms), signal)
      else await pause(ms, AbortSignal.any([signal, aborter.signal]))
    },
  }
}
