import type { Hono } from 'hono'
import type { Endpoint } from '../../src/wire/endpoints.ts'
import { ApiError } from './api-error.ts'

/** Known addresses with another method are 405 and say which they take; the rest is 404, as JSON like everything else. */
export function closeWith(app: Hono, table: readonly Endpoint[]): void {
  const paths = new Set(table.map((one) => one.path))
  for (const path of paths) {
    const allowed = table.filter((one) => one.path === path).map((one) => one.method)
    app.all(path, () => {
      throw new ApiError(405, `This address takes ${allowed.join(' or ')}.`, undefined, { allow: [...allowed].join(', ') })
    })
  }
  app.all('*', () => {
    throw new ApiError(404, 'There is nothing at this address.')
  })
}
