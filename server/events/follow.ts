import type { Logger } from 'pino'
import type { Sql } from '../database/connect.ts'
import { pause as sleep } from '../lib/pause.ts'
import type { Doorbell } from './doorbell.ts'
import { type Cursor, type LogEvent, logEnd, readOnward } from './log.ts'
import { throttle } from '../lib/throttle.ts'

const lookAnywayMs = 1_000
const lookAgainMs = 5
/** Every process rings, and all hear each ring: what several ring for in a moment is read together. */
const companyMs = 20

/** Reads the log onward as it grows, in order, until the signal aborts. A failed read is tried again from the same place. */
export async function follow(
  parts: { sql: Sql; doorbell: Doorbell; log: Logger },
  onEvents: (events: readonly LogEvent[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { sql, doorbell, log } = parts
  let wake = (): void => undefined
  let heard = false
  const rung = throttle(companyMs, () => {
    heard = true
    wake()
  })
  /** The bell makes it quick; where it cannot be had yet the log is looked at all the same. */
  const listening = async (): Promise<() => Promise<void>> => {
    while (!signal.aborted) {
      try {
        return await doorbell.listen(rung)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'nobody rings for the event log; trying again')
        await sleep(lookAnywayMs, signal)
      }
    }
    return async () => undefined
  }
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (heard || signal.aborted) wake()
    })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  const bell = listening()
  let cursor: Cursor | undefined
  let lostTouch = false
  try {
    while (!signal.aborted) {
      heard = false
      try {
        if (!cursor) cursor = await logEnd(sql)
        else if (lostTouch) cursor = await inThisEpoch(sql, cursor)
        lostTouch = false
        const page = await readOnward(sql, cursor)
        if (page.events.length > 0) onEvents(page.events)
        cursor = page.cursor
        if (page.waiting) await pause(lookAgainMs)
        else if (!page.isFull) await pause(lookAnywayMs)
      } catch (error) {
        if (signal.aborted) break
        log.warn({ err: error }, 'the event log cannot be read; trying again')
        lostTouch = true
        heard = false
        await pause(lookAnywayMs)
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // A database that is away at the end too keeps nobody from ending.
    await Promise.race([bell.then((stop) => stop()).catch(() => undefined), sleep(lookAnywayMs)])
  }
}

/**
 * Transaction ids of another cluster mean nothing here, nor those that a cluster has lost (it was taken back in time, or a standby that
 * was behind took over): begin at its end. Who listens refetches what it needs.
 */
async function inThisEpoch(sql: Sql, cursor: Cursor): Promise<Cursor> {
  const end = await logEnd(sql)
  return end.epoch === cursor.epoch && BigInt(end.xid) >= BigInt(cursor.xid) ? cursor : end
}
