import type { Logger } from 'pino'
import type { Sql } from '../database/connect.ts'
import { pause } from '../lib/pause.ts'
import { throttle } from '../lib/throttle.ts'
import { wakeable } from '../lib/wakeable.ts'
import type { EventSignal } from './event-signal.ts'
import { type Cursor, type LogEvent, logEnd, readOnward } from './log.ts'

/** Without a notification the log is read at this interval. */
const idleMs = 1_000
/** The log is read again after this time while committed rows wait behind a running transaction. */
const waitingMs = 5
/** Every process gets the notifications of all processes, so they wake its reader at most once in this time. */
const coalesceMs = 20

/** Reads the log in order as it grows, until the signal aborts. A failed read is retried from the same cursor if that is still valid. */
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
      else if (wasInterrupted) cursor = await validCursor(sql, cursor)
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
  // An unreachable database must not keep the process from exiting.
  await Promise.race([listening.then((stop) => stop?.()).catch(() => undefined), pause(idleMs)])
}

/** Retries until it listens or the signal aborts. Meanwhile the log is still read at intervals, so events are late but not lost. */
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

/** Transaction ids of another cluster, or lost in a restore or failover, mean nothing here. Reading continues at the end of the log. */
async function validCursor(sql: Sql, cursor: Cursor): Promise<Cursor> {
  const end = await logEnd(sql)
  return end.epoch === cursor.epoch && BigInt(end.xid) >= BigInt(cursor.xid) ? cursor : end
}
