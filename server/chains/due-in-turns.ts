import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../database/connect.ts'

type Fragment = PendingQuery<Row[]>

interface DueRows {
  readonly queue: 'sends' | 'bitcoin_payouts' | 'solana_payouts'
  readonly chainId: number
  /** What else must be true of a row that is due. */
  readonly when?: Fragment
  /** The rows of which this is true share transactions with others of their tenant, `most` to each. */
  readonly shared?: { readonly when: Fragment; readonly most: number }
  /** Each row in one of these states takes up one of the queue's slots. */
  readonly inFlight?: readonly string[]
  readonly ignoresPriority?: boolean
}

/**
 * Selects the rows of a queue that are due, by priority. Within a priority tenants take turns, so that no tenant's rows wait for everything that
 * another has enqueued. In a turn, a tenant gets one transaction that its rows share and one for a row that is sent alone. Transactions in
 * flight count as turns. At most `limit` rows of each tenant are read, the oldest, so a long queue costs no more than a short one.
 */
export async function dueInTurns(
  sql: Sql,
  { queue, chainId, when, shared, inFlight = [], ignoresPriority = false }: DueRows,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with recursive tenants (name) as (
      (select ${nameOfTenant(sql)} from ${sql(queue)} where chain_id = ${chainId} and state = 'queued' order by 1 limit 1)
      union all
      select (
        select ${nameOfTenant(sql)} from ${sql(queue)}
        where chain_id = ${chainId} and state = 'queued' and ${nameOfTenant(sql)} > tenants.name order by 1 limit 1)
      from tenants where tenants.name is not null
    ), due as (
      select first.*, tenants.name as tenant from tenants cross join lateral (
        select id, ${ignoresPriority ? sql`0` : sql`priority`} as priority, position, ${shared?.when ?? sql`false`} as shares from ${sql(queue)}
        where chain_id = ${chainId} and state = 'queued' and ${nameOfTenant(sql)} = tenants.name
          and (not_before is null or not_before <= clock_timestamp()) and ${when ?? sql`true`}
        order by 2, 3 limit ${limit}) first
    ), in_flight as (
      select ${nameOfTenant(sql)} as tenant, count(*) as slots from ${sql(queue)}
      where chain_id = ${chainId} and state = any(${sql.array([...inFlight])}::text[]) group by 1
    ), ranked as (
      select due.*, coalesce(slots, 0) + (row_number() over (partition by priority, tenant, shares order by position) - 1)
        / case when shares then ${shared?.most ?? 1} else 1 end as turn
      from due left join in_flight using (tenant)
    )
    select id from ranked
    order by priority, turn, min(position) over (partition by priority, tenant, shares, turn), position limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The indexes of the queues have the same expression. */
const nameOfTenant = (sql: Sql) => sql`coalesce(organization_id, '')`
