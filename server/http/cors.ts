import type { MiddlewareHandler } from 'hono'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints } from '../../src/wire/endpoints.ts'

/** Browsers may call endpoints that need no signature. The others are for servers and get no CORS headers. */
const isForBrowsers = ({ auth }: Endpoint): boolean => auth === 'KEY' || auth === 'KEY-OR-SIGNED' || auth === 'PUBLIC'

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/:[a-z0-9_]+/g, '[^/]+')}$`)

interface Open {
  readonly path: RegExp
  readonly methods: readonly string[]
}

const openPaths = (table: readonly Endpoint[]): readonly Open[] =>
  [...new Set(table.map((endpoint) => endpoint.path))].flatMap((path) => {
    const methods = table.filter((endpoint) => endpoint.path === path && isForBrowsers(endpoint)).map((endpoint) => endpoint.method)
    return methods.length > 0 ? [{ path: pattern(path), methods }] : []
  })

const answers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Date, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After',
}

/** Any origin may call the endpoints for browsers. They use no cookies, so another site can do nothing in a payer's name. */
export function cors(prefix: string, table: readonly Endpoint[] = Object.values(endpoints)): MiddlewareHandler {
  const open = openPaths(table)
  return async (c, next) => {
    const path = c.req.path.slice(prefix.length)
    const found = open.find((candidate) => candidate.path.test(path))
    if (found && c.req.method === 'OPTIONS') {
      return new Response(null, {
        status: 204,
        headers: {
          ...answers,
          'access-control-allow-methods': found.methods.join(', '),
          'access-control-allow-headers': 'X-API-KEY, Content-Type, Idempotency-Key, PAYMENT-SIGNATURE',
          'access-control-max-age': '86400',
        },
      })
    }
    await next()
    if (found?.methods.includes(c.req.method as Endpoint['method']))
      for (const [name, value] of Object.entries(answers)) c.res.headers.set(name, value)
    return undefined
  }
}
