import type { Sql } from './connect.ts'

const retentionDays = 30
const atOnce = 5_000

/** The public log is a queue, not the history: facts stay for ever, events only while somebody may still need their bytes. */
export async function forgetOldEvents(sql: Sql): Promise<void> {
  await sql`
    delete from deliveries where id in (
      select id from deliveries where coalesce(done_at, given_up_at) < now() - ${`${retentionDays} days`}::interval limit ${atOnce})`
  await sql`
    delete from events where seq in (
      select seq from events e where delivered_at < now() - ${`${retentionDays} days`}::interval
        and not exists (select 1 from deliveries d where d.seq = e.seq) order by seq limit ${atOnce})`
}
