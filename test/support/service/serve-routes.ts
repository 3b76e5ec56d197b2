import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { endpoints } from '../../../src/wire/endpoints.ts'
import type { Sql } from '../../../server/database/connect.ts'
import { errorHandler } from '../../../server/http/on-error.ts'
import { fallbacks, type Route, router } from '../../../server/http/route.ts'
import { keysOf } from '../../../server/organizations/keys.ts'
import { silent } from '../../events/support.ts'

export interface Served {
  readonly baseUrl: string
  close(): Promise<void>
}

/** Serves some routes from this process, with real keys and signatures and without limits, for tests that need no service. */
export async function serveRoutes(sql: Sql, mount: (route: Route) => void): Promise<Served> {
  const v3 = new Hono()
  const unlimited = { take: () => 0 } as never
  mount(
    router(v3, {
      sql,
      prefix: '/v3',
      keys: keysOf(sql, () => performance.now()),
      clock: Date.now,
      calls: unlimited,
      misses: unlimited,
      lookups: unlimited,
      addressOf: () => '127.0.0.1',
    }),
  )
  fallbacks(v3, Object.values(endpoints))
  const app = new Hono().route('/v3', v3)
  app.onError(errorHandler(silent))
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started))
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
