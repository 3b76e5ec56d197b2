import { pause } from '../lib/pause.ts'
import { wakeable } from '../lib/wakeable.ts'

/** A send is committed a moment after it was enqueued, without a signal. So a wake-up causes a burst of polls at growing intervals. */
export interface QueueWakeup {
  wake(): void
  /** Resolves when the next poll is due: soon after a wake-up, otherwise after `ms`. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

const quickLooksMs = [1, 3, 6, 10, 20, 40, 80, 160]

export function queueWakeup(): QueueWakeup {
  const sleeper = wakeable()
  let look = quickLooksMs.length
  return {
    wake: () => {
      look = 0
      sleeper.wake()
    },
    sleep: async (ms, signal) => {
      const soon = quickLooksMs[look++]
      await (soon === undefined ? sleeper.sleep(ms, signal) : pause(Math.min(soon, ms), signal))
    },
  }
}
