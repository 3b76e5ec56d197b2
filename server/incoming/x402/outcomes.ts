import { backoffMs } from '../../lib/pause.ts'
import { type Wakeable, wakeable } from '../../lib/wakeable.ts'

/** Lets requests wait for the outcome of a send. Another process may run the sending queue, so waiting requests also poll. */
export interface Outcomes {
  changed(id: string): void
  /** Repeats `read` until `isDone` accepts the result or the deadline (on the clock of `performance.now`) has passed, and returns it. */
  until<T>(id: string, read: () => Promise<T>, isDone: (current: T) => boolean, deadline: number): Promise<T>
}

const polling = { firstMs: 50, longestMs: 500 } as const

export function createOutcomes(): Outcomes {
  const waiting = new Map<string, Set<Wakeable>>()
  return {
    changed: (id) => waiting.get(id)?.forEach((sleeper) => sleeper.wake()),
    until: async (id, read, isDone, deadline) => {
      const sleeper = wakeable()
      const sleepers = waiting.get(id) ?? new Set()
      waiting.set(id, sleepers.add(sleeper))
      try {
        for (let times = 0; ; times++) {
          const current = await read()
          const left = deadline - performance.now()
          if (isDone(current) || left <= 0) return current
          await sleeper.sleep(Math.min(backoffMs(times, polling), Math.max(1, left)))
        }
      } finally {
        sleepers.delete(sleeper)
        if (sleepers.size === 0) waiting.delete(id)
      }
    },
  }
}
