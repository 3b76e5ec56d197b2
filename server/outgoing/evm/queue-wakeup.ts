import { pause } from '../../lib/pause.ts'

/**
 * Who enqueues does so inside a transaction that commits a moment later, and we cannot see when. So a ring means several
 * quick looks, further and further apart, before the ordinary rhythm returns.
 */
export interface Doorbell {
  ring(): void
  /** Until the next look is due: soon after a ring, else after `ms`. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

const looks = [1, 3, 6, 10, 20, 40, 80, 160]

export function createDoorbell(): Doorbell {
  let look = looks.length
  let wake = new AbortController()
  return {
    ring: () => {
      look = 0
      wake.abort()
    },
    wait: async (ms, signal) => {
      wake = new AbortController()
      const soon = looks[look++]
      if (soon !== undefined) await pause(Math.min(soon, ms), signal)
      else await pause(ms, AbortSignal.any([signal, wake.signal]))
    },
  }
}
