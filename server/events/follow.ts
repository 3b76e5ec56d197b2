import type { Logger } from 'pino'
import type { Sql } from '../database/connect.ts'
import { pause } from '../lib/pause.ts'
import { throttle } from '../lib/throttle.ts'
import { wakeable } from '../lib/wakeable.ts'
import type { EventSignal } from './event-signal.ts'
import { type Cursor, type LogEvent, logEnd, readOnward } from './log.ts'

/** How often the log is read without a notification. */
const idleMs = 1_000
/** How soon it is read again while committed rows wait behind a running transaction. */
const waitingMs = 5
/** Every process gets every notification: what several send within a moment is read at once. */
const coalesceMs = 20

/** Reads the log onward as it grows, in order, until the signal aborts. A failed read is repeated from the same place. */
export async function follow(
  { sql, events, log }: { sql: Sql; events: EventSignal; log: Logger },
  onEvents: (events: readonly LogEvent[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const sleeper = wakeable()
  const listening = listen(events, throttle(coalesceMs, sleeper.wake), log, signal)
  let cursor: Cursor | undefined
  let wasInterrupted = false
  while (!signal.aborted) {
    try {
      if (!cursor) cursor = await logEnd(sql)
      else if (wasInterrupted) cursor = await inThisEpoch(sql, cursor)
      wasInterrupted = false
      const page = await readOnward(sql, cursor)
      if (page.events.length > 0) onEvents(page.events)
      cursor = page.cursor
      if (page.waiting) await sleeper.sleep(waitingMs, signal)
      else if (!page.isFull) await sleeper.sleep(idleMs, signal)
    } catch (error) {
      if (signal.aborted) break
      log.warn({ err: error }, 'cannot read the event log; retrying')
      wasInterrupted = true
      await pause(idleMs, signal)
    }
  }
  // A database that is unreachable at the end too must not keep the process from ending.
  await Promise.race([listening.then((stop) => stop?.()).catch(() => undefined), pause(idleMs)])
}

/** Notifications make it quick. While there is no connection for them the log is read all the same, at intervals. */
async function listen(
  events: EventSignal,
  onNotify: () => void,
  log: Logger,
  signal: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  while (!signal.aborted) {
    try {
      return await events.listen(onNotify)
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'cannot LISTEN for new events; retrying')
      await pause(idleMs, signal)
    }
  }
  return undefined
}

/**
 * Transaction ids of another cluster mean nothing here, nor those that a cluster has lost (it was taken back in time, or a standby that
 * was behind took over): reading continues at its end. Subscribers refetch what they need.
 */
async function inThisEpoch(sql: Sql, cursor: Cursor): Promise<Cursor> {
  const end = await logEnd(sql)
  return end.epoch === cursor.epoch && BigInt(end.xid) >= BigInt(cursor.xid) ? cursor : end
}
