import type { Sql } from 'postgres'

/** How a chain's sending queue stands, for operators. Ages in seconds; undefined: there is none. */
export interface QueueFigures {
  /** Without a nonce yet; with one and in no block; not final. */
  readonly oldestUnsent: number | undefined
  readonly oldestUnmined: number | undefined
  readonly oldestUnsettled: number | undefined
  /** Taken by a reorganisation after they were final: on their way again; and those that did not get through again. */
  readonly reopened: number
  readonly lost: number
}

const none: QueueFigures = { oldestUnsent: undefined, oldestUnmined: undefined, oldestUnsettled: undefined, reopened: 0, lost: 0 }

export async function queueFigures(sql: Sql, chainId: number): Promise<QueueFigures> {
  const [row] = await sql<{ unsent: number | null; unmined: number | null; unsettled: number | null; reopened: number; lost: number }[]>`
    select
      extract(epoch from clock_timestamp() - min(since) filter (where state = 'queued'))::int as unsent,
      extract(epoch from clock_timestamp() - min(since) filter (where state in ('signed', 'broadcast')))::int as unmined,
      extract(epoch from clock_timestamp() - min(since))::int as unsettled,
      (count(*) filter (where is_reopened))::int as reopened,
      (select count(*) from sends where chain_id = ${chainId} and lost_at is not null)::int as lost
    from (
      select state, coalesce(reopened_at, created_at) as since, reopened_at is not null as is_reopened from sends
      where chain_id = ${chainId} and state in ('queued', 'signed', 'broadcast', 'mined')
    ) as open`
  if (!row) return none
  return {
    oldestUnsent: row.unsent ?? undefined,
    oldestUnmined: row.unmined ?? undefined,
    oldestUnsettled: row.unsettled ?? undefined,
    reopened: row.reopened,
    lost: row.lost,
  }
}

/** What a settlement takes, before the first has been made. */
const usualGas = 150_000n
const considered = 100

/** The median of the newest settlements. */
export async function settlementGas(sql: Sql, chainId: number): Promise<bigint> {
  const [row] = await sql<{ gas: string | null }[]>`
    select (percentile_disc(0.5) within group (order by gas_used))::text as gas from (
      select gas_used from sends where chain_id = ${chainId} and state = 'confirmed' and kind = 'settlement' and gas_used is not null
      order by mined_block desc limit ${considered}
    ) as newest`
  return row?.gas ? BigInt(row.gas) : usualGas
}
