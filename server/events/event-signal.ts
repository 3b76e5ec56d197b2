import type { Sql } from '../database/connect.ts'
import { throttle } from '../lib/throttle.ts'

/** Tells every process that the event log has grown, never what is in it: they read onward. Notified after the commit. */
export interface EventSignal {
  notify(): void
  /** `onNotify` is also called whenever listening begins (again), since notifications may have been missed before. */
  listen(onNotify: () => void): Promise<() => Promise<void>>
}

/** A NOTIFY costs a commit that waits for the disk, under a lock that all share, and every follower a read: those close together are one. */
const quietMs = 20

export const postgresSignal = (sql: Sql, channel = 'till_events'): EventSignal => ({
  // No payload. A lost notification is a slower read, not a loss: followers also read at intervals.
  notify: throttle(quietMs, () => void sql.notify(channel, '').catch(() => undefined)),
  async listen(onNotify) {
    const { unlisten } = await sql.listen(channel, onNotify, onNotify)
    return unlisten
  },
})
