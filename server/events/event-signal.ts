import type { Sql } from '../database/connect.ts'
import { throttle } from '../lib/throttle.ts'

/** Notifies every process that the event log has grown. It carries no events, since each process reads the log from its own cursor. */
export interface EventSignal {
  notify(): void
  /** Also calls `onNotify` when listening begins or resumes, since notifications may have been missed until then. */
  listen(onNotify: () => void): Promise<() => Promise<void>>
}

/** Commits with a NOTIFY wait for each other in the whole cluster, and each wakes every reader. So calls within this time are merged. */
const quietMs = 20

export const postgresSignal = (sql: Sql, channel = 'till_events'): EventSignal => ({
  // Errors are ignored, since a lost notification only delays a read: followers also read the log at intervals.
  notify: throttle(quietMs, () => void sql.notify(channel, '').catch(() => undefined)),
  async listen(onNotify) {
    const { unlisten } = await sql.listen(channel, onNotify, onNotify)
    return unlisten
  },
})
