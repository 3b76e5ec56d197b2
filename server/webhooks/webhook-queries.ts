import type { Webhook } from '../../src/wire/webhook.ts'
import type { Sql, Tx } from '../database/connect.ts'

const untried = { silent: 0, probe_at: null, answered_at: null, failing_since: null, marked_failing_at: null }
const columns = (sql: Sql | Tx) => sql`id, url, events, active, include_unsigned, marked_failing_at is not null as failing`

type NewWebhook = Omit<Webhook, 'failing'> & { readonly secret: string }

export async function insertWebhook(sql: Sql | Tx, organizationId: string, webhook: NewWebhook): Promise<void> {
  await sql`insert into webhooks ${sql({ ...webhook, organization_id: organizationId })}`
}

/** Inserts a webhook, or updates its URL and events if it exists, since the demo shop may be at another port after a local restart. */
export async function putWebhook(sql: Sql | Tx, organizationId: string, webhook: NewWebhook): Promise<void> {
  const row = { ...webhook, organization_id: organizationId }
  await sql`insert into webhooks ${sql(row)} on conflict (id) do update set ${sql(row, 'url', 'events')}`
}

export const webhooksOf = async (sql: Sql | Tx, organizationId: string): Promise<Webhook[]> =>
  sql<Webhook[]>`select ${columns(sql)} from webhooks where organization_id = ${organizationId} order by created_at, id`

export async function webhookOf(sql: Sql | Tx, organizationId: string, id: string): Promise<Webhook | undefined> {
  const [row] = await sql<Webhook[]>`select ${columns(sql)} from webhooks where organization_id = ${organizationId} and id = ${id}`
  return row
}

/** Returns where a webhook is sent to and what signs it, which is both secrets while they are rotated. */
export async function targetOf(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<{ url: string; secrets: readonly string[] } | undefined> {
  const [row] = await sql`
    select url, secret, case when previous_until > now() then previous_secret end as previous
    from webhooks where organization_id = ${organizationId} and id = ${id}`
  return row && { url: row.url, secrets: row.previous ? [row.secret, row.previous] : [row.secret] }
}

/** Locks the organisation until the transaction ends, so that no concurrent call adds a webhook. */
export async function lockWebhooks(tx: Tx, organizationId: string): Promise<Webhook[]> {
  await tx`select 1 from organizations where id = ${organizationId} for no key update`
  return webhooksOf(tx, organizationId)
}

/** A changed URL, or a webhook that is switched on again, is tried at once, as if its endpoint were new. */
export async function changeWebhook(
  sql: Tx,
  organizationId: string,
  id: string,
  change: Partial<Omit<Webhook, 'id' | 'failing'>>,
): Promise<Webhook | undefined> {
  if (Object.keys(change).length === 0) return webhookOf(sql, organizationId, id)
  const [row] = await sql<
    Webhook[]
  >`update webhooks set ${sql({ ...change, ...(change.url !== undefined || change.active ? untried : {}) })} where organization_id = ${organizationId} and id = ${id} returning ${columns(sql)}`
  return row
}

export async function deleteWebhook(sql: Tx, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from webhooks where organization_id = ${organizationId} and id = ${id} returning id`
  return rows.length > 0
}

/** Rotates the secret. The old one keeps signing beside the new one for a day, so that a receiver can switch without missing anything. */
export async function rotateSecret(
  sql: Tx,
  organizationId: string,
  id: string,
  secret: string,
): Promise<(Webhook & { secret: string }) | undefined> {
  const [row] = await sql<Webhook[]>`
    update webhooks set previous_secret = secret, previous_until = now() + interval '24 hours', secret = ${secret}
    where organization_id = ${organizationId} and id = ${id} returning ${columns(sql)}`
  return row && { ...row, secret }
}
