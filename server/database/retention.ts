import type { Sql } from './connect.ts'

const retentionDays = 30
const batchSize = 5_000

const mostBatches = 200

/** Deletes batch by batch, so that the log shrinks however fast it grows. Other housekeeping gets its turn after a million rows. */
async function deleteAll(signal: AbortSignal, batch: () => PromiseLike<{ readonly count: number }>): Promise<void> {
  for (let done = 0; done < mostBatches && !signal.aborted && (await batch()).count === batchSize; done++);
}

/**
 * The event log is a queue and not the history, which is in the facts. An event stays while one of its deliveries does. An endpoint that never
 * answers gets so few attempts that it would keep its deliveries for ever, so those end with the log too, unless they were sent again since.
 */
export async function forgetOldEvents(sql: Sql, signal: AbortSignal): Promise<void> {
  await deleteAll(
    signal,
    () => sql`
    delete from deliveries where id in (
      select d.id from deliveries d join events e on e.seq = d.seq
      where d.done_at is null and d.given_up_at is null
        and coalesce(d.resent_at, e.delivered_at) < now() - ${`${retentionDays} days`}::interval limit ${batchSize})`,
  )
  await deleteAll(
    signal,
    () => sql`
    delete from deliveries where id in (
      select id from deliveries where coalesce(done_at, given_up_at) < now() - ${`${retentionDays} days`}::interval limit ${batchSize})`,
  )
  await deleteAll(
    signal,
    () => sql`
    delete from events where seq in (
      select seq from events e where delivered_at < now() - ${`${retentionDays} days`}::interval
        and not exists (select 1 from deliveries d where d.seq = e.seq) order by seq limit ${batchSize})`,
  )
}
