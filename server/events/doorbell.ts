import type { Sql } from '../store/connect.ts'

/** Says that the log has grown, never what is in it: whoever hears it reads onward. Rung after the commit. */
export interface Doorbell {
  ring(): void
  /** `heard` is also called whenever hearing begins (again), since rings may have been missed before. */
  listen(heard: () => void): Promise<() => Promise<void>>
}

const quietMs = 4

/** NOTIFY takes a global lock at commit: no payload, and at most once every few milliseconds per process. */
export const postgresDoorbell = (sql: Sql, channel = 'till_events'): Doorbell => {
  let last = 0
  let waiting = false
  const send = () => {
    waiting = false
    last = performance.now()
    // A lost ring is a slower read, not a loss: followers also look by themselves.
    sql.notify(channel, '').catch(() => undefined)
  }
  return {
    ring() {
      if (waiting) return
      waiting = true
      const wait = last + quietMs - performance.now()
      if (wait <= 0) queueMicrotask(send)
      else setTimeout(send, wait)
    },
    async listen(heard) {
      const { unlisten } = await sql.listen(channel, heard, heard)
      return unlisten
    },
  }
}
