import type { Sql } from 'postgres'
import type { PayoutMetrics } from '../../payouts.ts'
import { batchKind } from './send.ts'

const none: PayoutMetrics = { oldestUnsent: undefined, oldestUnmined: undefined, oldestUnsettled: undefined, reopened: 0, lost: 0 }

/** Members count, and not their batch. */
export async function queueMetrics(sql: Sql, chainId: number): Promise<PayoutMetrics> {
  const [row] = await sql<{ unsent: number | null; unmined: number | null; unsettled: number | null; reopened: number; lost: number }[]>`
    select
      extract(epoch from clock_timestamp() - min(since) filter (where state = 'queued'))::int as unsent,
      extract(epoch from clock_timestamp() - min(since) filter (where state in ('signed', 'broadcast')))::int as unmined,
      extract(epoch from clock_timestamp() - min(since))::int as unsettled,
      (count(*) filter (where is_reopened))::int as reopened,
      (select count(*) from sends where chain_id = ${chainId} and lost_at is not null)::int as lost
    from (
      select state, coalesce(reopened_at, created_at) as since, reopened_at is not null as is_reopened from sends
      where chain_id = ${chainId} and state in ('queued', 'signed', 'broadcast', 'mined') and kind <> ${batchKind}
      union all
      select batch.state, coalesce(member.reopened_at, member.created_at), member.reopened_at is not null
      from sends as member join sends as batch on batch.id = member.batch_id
      where member.chain_id = ${chainId} and member.state = 'batched'
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
