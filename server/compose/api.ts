import { Hono, type MiddlewareHandler } from 'hono'
import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { type AccessParts, allowanceOf, spend } from '../http/access.ts'
import { cors } from '../http/cors.ts'
import { errorHandler } from '../http/on-error.ts'
import { readyResponse } from '../http/ready-response.ts'
import { fallbacks, router } from '../http/route.ts'
import { openapi } from '../reference/openapi.ts'
import { describedChains } from './described-chains.ts'
import { apiRoutes, type ApiRoutesParts } from './api-routes.ts'

export interface ApiParts extends Omit<ApiRoutesParts, 'spendLookup'> {
  readonly access: Omit<AccessParts, 'clock'>
}

/** Responses depend on X-API-KEY, which caches ignore (unlike Authorization), so by default no cache may store one, not even an error. */
const uncached: MiddlewareHandler = async (c, next) => {
  await next()
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  c.res.headers.set('x-content-type-options', 'nosniff')
}

/** Serves the API under /v3, and the one path that was published under /v2. */
export function createApi(parts: ApiParts): Hono {
  const { engine } = parts
  const access = { ...parts.access, sql: engine.sql, clock: engine.clock }
  const app = new Hono()
  app.onError(errorHandler(engine.log))

  const v3 = new Hono()
  v3.use(cors('/v3', Object.values(endpoints)))
  v3.use(uncached)
  const v2 = new Hono()
  v2.use(cors('/v2', [paymentMethodsV2]))
  v2.use(uncached)

  let description: Uint8Array<ArrayBuffer> | undefined
  v3.get('/openapi.json', (c) => {
    description ??= new TextEncoder().encode(JSON.stringify(openapi(`${engine.payUrl}/v3`, engine.payUrl, describedChains(engine))))
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }
    return readyResponse(c, description, { headers })
  })
  apiRoutes(router(v3, { ...access, prefix: '/v3' }), router(v2, { ...access, prefix: '/v2' }), {
    ...parts,
    spendLookup: (c, caller) => spend(access.lookups, allowanceOf(access, c, caller)),
  })
  fallbacks(v3, Object.values(endpoints))
  fallbacks(v2, [paymentMethodsV2])

  app.route('/v3', v3)
  app.route('/v2', v2)
  return app
}
