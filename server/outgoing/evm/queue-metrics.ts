import type { Sql } from 'postgres'

/** Operators monitor a chain's sending queue by these figures. An age is in seconds, and undefined when no send is in that state. */
export interface QueueMetrics {
  /** This is the age of the oldest send without a nonce. */
  readonly oldestUnsent: number | undefined
  /** This is the age of the oldest send that has a nonce but is in no block. */
  readonly oldestUnmined: number | undefined
  /** This is the age of the oldest send that is not final. */
  readonly oldestUnsettled: number | undefined
  /** A reorganisation undid this many final sends, which are in flight again. */
  readonly reopened: number
  /** A reorganisation undid this many final sends, which then failed. */
  readonly lost: number
}

const none: QueueMetrics = { oldestUnsent: undefined, oldestUnmined: undefined, oldestUnsettled: undefined, reopened: 0, lost: 0 }

export async function queueMetrics(sql: Sql, chainId: number): Promise<QueueMetrics> {
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

/** This estimate serves until the chain has a confirmed settlement. */
const defaultGas = 150_000n
const sampleSize = 100

/** Returns the median gas of the latest confirmed settlements. */
export async function settlementGas(sql: Sql, chainId: number): Promise<bigint> {
  const [row] = await sql<{ gas: string | null }[]>`
    select (percentile_disc(0.5) within group (order by gas_used))::text as gas from (
      select gas_used from sends where chain_id = ${chainId} and state = 'confirmed' and kind = 'settlement' and gas_used is not null
      order by mined_block desc limit ${sampleSize}
    ) as newest`
  return row?.gas ? BigInt(row.gas) : defaultGas
}
