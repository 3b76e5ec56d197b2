import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import { safeParse } from 'zod/mini'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { withIdempotency } from './idempotency.ts'
import { type Key, type AccessParts, allowanceOf, type Caller, countMiss, identify, spend } from './access.ts'
import { type RequestBindings, readyResponse } from './ready-response.ts'
import { ApiError } from './api-error.ts'
import { parseJson, readBody } from './body.ts'
import { parseOrRefuse } from './parse-or-refuse.ts'

type Read<S> = S extends z.ZodMiniType<infer Output> ? Output : undefined
type NeedsNoTransaction = { method: 'GET' } | { auth: 'PUBLIC' } | { callsExternal: true }

/** Handlers get a request that is authenticated, rate-limited, and parsed into the types of the endpoint's schemas. */
export interface Call<E extends Endpoint> {
  readonly params: Read<E['params']>
  readonly query: Read<E['query']>
  readonly body: Read<E['body']>
  readonly caller: E['auth'] extends 'PUBLIC' ? undefined : Caller
  readonly organizationId: string
  readonly key: E['auth'] extends 'PUBLIC' ? undefined : Key
  /** A write gets a transaction, unless it changes one order without an Idempotency-Key. Reads, public and external calls get none. */
  readonly tx: E extends NeedsNoTransaction ? Sql : E extends { writesOneOrder: true } ? Sql | Tx : Tx
  readonly c: Context
  /** The body as it was sent, which the caller may have signed. */
  readonly bytes: Uint8Array
}

export interface Answer {
  readonly body?: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface RouteParts extends AccessParts {
  readonly sql: Sql
  /** Paths in the table of endpoints and in signatures do not include this prefix. */
  readonly prefix: string
}

/** `prepare` asks chains and providers with no transaction open. Its result may be outdated, so `handle` checks again what matters. */
export interface Route {
  <const E extends Endpoint>(endpoint: E, handle: (call: Call<E>) => Promise<Answer>): void
  <const E extends Endpoint, P>(
    endpoint: E,
    prepare: (call: Omit<Call<E>, 'tx'>) => Promise<P>,
    handle: (call: Call<E>, prepared: P) => Promise<Answer>,
  ): void
}

type Work = (call: never, prepared?: never) => Promise<unknown>

interface Sent {
  readonly status: number
  readonly answer: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Binds endpoints of the table to their handlers. Each request is authenticated, limited, parsed and handled, in that order. */
export const router =
  (app: Hono, parts: RouteParts): Route =>
  (endpoint: Endpoint, ...works: readonly Work[]) => {
    const handle = works.at(-1) as (call: never, prepared: never) => Promise<Answer>
    const prepare = works.length > 1 ? works[0] : undefined

    app.on(endpoint.method, endpoint.path, async (c) => {
      const incoming = (c.env as RequestBindings | undefined)?.incoming
      const bytes = endpoint.body || endpoint.method !== 'GET' ? await readBody(c.req.raw, incoming) : new Uint8Array()
      const path = new URL(c.req.url).pathname.slice(parts.prefix.length)
      const caller = endpoint.auth === 'PUBLIC' ? undefined : await identify(parts, c, endpoint, path, bytes)
      const allowance = caller ? allowanceOf(parts, c, caller) : parts.addressOf(c)
      spend(parts.calls, allowance)
      if (endpoint.callsExternal) spend(parts.lookups, allowance)
      const params = parsePath(endpoint, c)
      const query = endpoint.query && parseOrRefuse(endpoint.query, queryOf(c), 'query')
      const body = parseBody(endpoint, c, bytes)
      const asked = { params, query, body, caller, organizationId: caller?.key.organizationId ?? '', key: caller?.key, c, bytes }
      // An error of `prepare` is thrown only if `handle` runs now. A repeated call gets its stored answer, whatever has changed since.
      const prepared = prepare?.(asked as never)
      await prepared?.catch(() => undefined)
      const run = async (tx: Tx | Sql): Promise<Sent> => {
        const answer = await handle({ ...asked, tx } as never, (await prepared) as never)
        return {
          status: answer.status ?? endpoint.status,
          answer: answer.body === undefined ? '' : JSON.stringify(answer.body),
          headers: answer.headers,
        }
      }
      try {
        const sent = await perform(parts.sql, endpoint, c, caller, path, bytes, run)
        return sent.answer === ''
          ? new Response(null, { status: sent.status, headers: sent.headers })
          : readyResponse(c, sent.answer, { status: sent.status, headers: { 'content-type': 'application/json', ...sent.headers } })
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) countMiss(parts, c)
        throw error
      }
    })
  }

async function perform(
  sql: Sql,
  endpoint: Endpoint,
  c: Context,
  caller: Caller | undefined,
  path: string,
  bytes: Uint8Array,
  run: (tx: Tx | Sql) => Promise<Sent>,
): Promise<Sent> {
  if (endpoint.method === 'GET' || endpoint.auth === 'PUBLIC' || endpoint.callsExternal) return run(sql)
  const key = endpoint.idempotency && c.req.header('idempotency-key')
  if (key === undefined || !caller) {
    if (endpoint.idempotency === 'required')
      throw new ApiError(400, 'Send an Idempotency-Key header, so that a retry cannot do this twice.')
    return endpoint.writesOneOrder ? run(sql) : transaction(sql, run)
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw new ApiError(400, 'An Idempotency-Key has 1 to 255 visible ASCII characters.')
  const bodyHash = createHash('sha256').update(bytes).digest('hex')
  const sent = await withIdempotency<Sent>(
    sql,
    { organizationId: caller.key.organizationId, operation: `${namespaceOf(caller)}${endpoint.method} ${path}`, key, bodyHash },
    run,
  )
  if (!sent) throw new ApiError(409, 'This Idempotency-Key was used with another body.')
  return sent
}

/** Anyone can use the publishable key, so unsigned calls must not use up the idempotency keys of signed callers or read their answers. */
const namespaceOf = ({ key, signed }: Caller): string => (signed ? '' : `${key.id} `)

/** An id that does not have the form of our ids cannot exist, so the response is 404 and not 400. */
function parsePath(endpoint: Endpoint, c: Context): unknown {
  if (!endpoint.params) return undefined
  const parsed = safeParse(endpoint.params, c.req.param())
  if (!parsed.success) throw new ApiError(404, 'There is nothing at this address.')
  return parsed.data
}

/** A parameter that is given twice becomes a list, which the schema refuses. */
function queryOf(c: Context): Record<string, string | string[]> {
  const all = c.req.queries()
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]))
}

function parseBody(endpoint: Endpoint, c: Context, bytes: Uint8Array): unknown {
  if (!endpoint.body || (bytes.length === 0 && endpoint.bodyOptional)) return undefined
  return parseOrRefuse(endpoint.body, parseJson(bytes, c.req.header('content-type') ?? null), 'body')
}

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
