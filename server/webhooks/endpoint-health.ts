import type { Sql, Tx } from '../database/connect.ts'

/** After this many attempts in a row without a response an endpoint is silent, and is probed with one delivery at a time. */
export const silentAfter = 3
/** The wait between two probes of a silent endpoint doubles with each that gets no response. */
const probes = { firstWait: '10 seconds', longestWait: '1 minute' } as const

export async function endpointAccepted(sql: Sql, webhookId: string): Promise<void> {
  await sql`
    update webhooks set silent = 0, probe_at = null, answered_at = now(), failing_since = null, marked_failing_at = null
    where id = ${webhookId} and (silent > 0 or answered_at is null or failing_since is not null)`
}

/** A response with any status proves that the endpoint is reachable, even if it accepts nothing. */
export async function endpointRefused(sql: Sql, webhookId: string): Promise<void> {
  await sql`
    update webhooks set silent = 0, probe_at = null, answered_at = now(), failing_since = coalesce(failing_since, now())
    where id = ${webhookId} and (silent > 0 or answered_at is null or failing_since is null)`
}

/** A URL that we refuse to call says nothing about whether its endpoint responds. */
export async function endpointNotCalled(sql: Sql, webhookId: string): Promise<void> {
  await sql`update webhooks set failing_since = now() where id = ${webhookId} and failing_since is null`
}

/** Counts a missing response. Returns true when it made the endpoint silent. */
export async function countMissingResponse(sql: Sql, webhookId: string): Promise<boolean> {
  const [row] = await sql`
    update webhooks set silent = silent + 1, failing_since = coalesce(failing_since, now()),
      probe_at = case when silent + 1 >= ${silentAfter} then now() + least(
        ${probes.longestWait}::interval, ${probes.firstWait}::interval * power(2, least(silent + 1 - ${silentAfter}, 10))) end
    where id = ${webhookId} returning silent`
  return row?.silent === silentAfter
}

export interface FailingEndpoint {
  readonly webhookId: string
  readonly organizationId: string
  readonly url: string
  readonly since: Date
}

/** Marks endpoints that have accepted nothing for three days, and returns those that were not marked yet. */
export async function markFailingEndpoints(sql: Sql | Tx): Promise<FailingEndpoint[]> {
  const rows = await sql`
    update webhooks set marked_failing_at = now()
    where active and marked_failing_at is null and failing_since < now() - interval '3 days'
    returning id, organization_id, url, failing_since`
  return rows.map((row) => ({ webhookId: row.id, organizationId: row.organization_id, url: row.url, since: row.failing_since }))
}
