import type { Sql } from '../database/connect.ts'
import { throttle } from '../lib/throttle.ts'

/** Says that the log has grown, never what is in it: whoever hears it reads onward. Rung after the commit. */
export interface Doorbell {
  ring(): void
  /** `heard` is also called whenever hearing begins (again), since rings may have been missed before. */
  listen(heard: () => void): Promise<() => Promise<void>>
}

/** A ring costs a commit that waits for the disk, under a lock that all share, and every follower a look: those in its wake ring together. */
const quietMs = 20

export const postgresDoorbell = (sql: Sql, channel = 'till_events'): Doorbell => ({
  // No payload. A lost ring is a slower read, not a loss: followers also look by themselves.
  ring: throttle(quietMs, () => void sql.notify(channel, '').catch(() => undefined)),
  async listen(heard) {
    const { unlisten } = await sql.listen(channel, heard, heard)
    return unlisten
  },
})
