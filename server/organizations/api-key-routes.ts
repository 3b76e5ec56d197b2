import { endpoints } from '../../src/wire/endpoints.ts'
import { notFound } from '../http/api-error.ts'
import type { Sql } from '../database/connect.ts'
import type { Route } from '../http/route.ts'
import { apiKeysOf, relabelApiKey } from './api-keys.ts'

export function apiKeys(route: Route, { sql }: { readonly sql: Sql }): void {
  route(endpoints.listApiKeys, async ({ organizationId }) => ({ body: { data: await apiKeysOf(sql, organizationId) } }))

  route(endpoints.changeApiKey, async ({ params, body, organizationId, tx }) => {
    const key = await relabelApiKey(tx, organizationId, params.api_key_id, body.label)
    if (!key) throw notFound('API key')
    return { body: key }
  })
}
