import type { Sql } from '../database/connect.ts'

/** A merchant can enqueue any number of mails that nobody accepts, so no more than these are counted. */
const mostCounted = 1_000

/** How many mails wait, and for how many seconds the one that is due first has been due. A process without a mail server sends none. */
export async function waitingMails(sql: Sql): Promise<{ readonly mails: number; readonly overdue: number }> {
  const [row] = await sql<{ mails: number; overdue: number }[]>`
    select (select count(*)::int from (select 1 from mails where sent_at is null and given_up_at is null limit ${mostCounted}) as counted) as mails,
      (select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(next_at))), 0)::int
        from mails where sent_at is null and given_up_at is null) as overdue`
  return row ?? { mails: 0, overdue: 0 }
}
