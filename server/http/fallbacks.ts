import type { Hono } from 'hono'
import type { Endpoint } from '../../src/wire/endpoints.ts'
import { ApiError } from './api-error.ts'

/** Answers requests that no route matched, in JSON like all others: 405 with the allowed methods at a known path, otherwise 404. */
export function fallbacks(app: Hono, table: readonly Endpoint[]): void {
  const paths = new Set(table.map((endpoint) => endpoint.path))
  for (const path of paths) {
    const allowed = table.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method)
    app.all(path, () => {
      throw new ApiError(405, `This address takes ${allowed.join(' or ')}.`, undefined, { allow: [...allowed].join(', ') })
    })
  }
  app.all('*', () => {
    throw new ApiError(404, 'There is nothing at this address.')
  })
}
