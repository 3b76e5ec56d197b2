import type { Sql } from '../../database/connect.ts'
import { pause } from '../../lib/pause.ts'
import { type Authorization, authorizationById } from './authorizations.ts'

/** Requests that wait for what the sending queue reports. Another process may be the one that sends: so they also look by themselves. */
export interface Waiting {
  /** An authorisation has changed, as far as this process knows. */
  ring(id: string): void
  /** The row once it is as wished for, or as it is when time is up. */
  until(id: string, wish: (now: Authorization) => boolean, deadline: number): Promise<Authorization>
}

const shortestMs = 50
const longestMs = 500

export function createWaiting(sql: Sql): Waiting {
  const bells = new Map<string, Set<() => void>>()
  const rung = (id: string): Promise<void> =>
    new Promise((resolve) => {
      const all = bells.get(id) ?? new Set()
      bells.set(id, all.add(resolve))
    })
  const ring = (id: string) => {
    const all = bells.get(id)
    bells.delete(id)
    all?.forEach((resolve) => resolve())
  }
  return {
    ring,
    until: async (id, wish, deadline) => {
      let wait = shortestMs
      for (;;) {
        const bell = rung(id)
        const now = await authorizationById(sql, id)
        if (!now) throw new Error(`authorisation ${id} is gone`)
        if (wish(now) || performance.now() >= deadline) return now
        await Promise.race([bell, pause(Math.min(wait, Math.max(1, deadline - performance.now())))])
        wait = Math.min(longestMs, wait * 2)
      }
    },
  }
}
