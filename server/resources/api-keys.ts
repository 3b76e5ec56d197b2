import { endpoints } from '../../src/wire/endpoints.ts'
import { notFound } from '../http/ApiError.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../jobs/engine.ts'
import { apiKeysOf, relabelApiKey } from '../store/api-keys.ts'

export const apiKeys = (route: Route, engine: Engine): void => {
  route(endpoints.listApiKeys, async ({ organizationId }) => ({ body: { data: await apiKeysOf(engine.sql, organizationId) } }))

  route(endpoints.changeApiKey, async ({ params, body, organizationId, tx }) => {
    const key = await relabelApiKey(tx, organizationId, params.api_key_id, body.label)
    if (!key) throw notFound('API key')
    return { body: key }
  })
}
