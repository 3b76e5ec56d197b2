import type { ApiKey } from '../../src/wire/api-key.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'

interface Row {
  id: string
  label: string
  active: boolean
  is_live: boolean
  last_four: string
  created_at: Date
  updated_at: Date
  last_used_at: Date | null
}

const shown = (row: Row): ApiKey => ({
  id: row.id,
  label: row.label,
  active: row.active,
  is_live: row.is_live,
  api_key_last_four: row.last_four,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString(),
})

const columns = (sql: Sql | Tx) =>
  sql`k.id, k.label, k.active, o.is_live, right(k.api_key, 4) as last_four, k.created_at, k.updated_at, k.last_used_at`

export async function apiKeysOf(sql: Sql, organizationId: string): Promise<ApiKey[]> {
  const rows = await sql<
    Row[]
  >`select ${columns(sql)} from api_keys k join organizations o on o.id = k.organization_id where o.id = ${organizationId} order by k.created_at, k.id`
  return rows.map(shown)
}

export async function relabelApiKey(sql: Tx, organizationId: string, id: string, label: string): Promise<ApiKey | undefined> {
  const [row] = await sql<Row[]>`
    update api_keys k set label = ${label}, updated_at = now() from organizations o
    where o.id = k.organization_id and o.id = ${organizationId} and k.id = ${id} returning ${columns(sql)}`
  return row && shown(row)
}

/** Returns false if there is no such key or it is off already. */
export async function switchApiKeyOff(sql: Sql, id: string): Promise<boolean> {
  const { count } = await sql`update api_keys set active = false, updated_at = now() where id = ${id} and active`
  return count === 1
}

export function apiKeys(route: Route, { sql }: { readonly sql: Sql }): void {
  route(endpoints.listApiKeys, async ({ organizationId }) => ({ body: { data: await apiKeysOf(sql, organizationId) } }))

  route(endpoints.changeApiKey, async ({ params, body, organizationId, tx }) => {
    const key = await relabelApiKey(tx, organizationId, params.api_key_id, body.label)
    if (!key) throw notFound('API key')
    return { body: key }
  })
}
