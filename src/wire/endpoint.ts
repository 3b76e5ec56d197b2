import type * as z from 'zod/mini'

/**
 * KEY needs only the API key, in X-API-KEY or Authorization. SIGNED also needs an HMAC of method, path and timestamp, made with the key's
 * secret; for BODY-SIGNED it covers the body's digest too. KEY-OR-SIGNED accepts the key alone, but some requests need the signature.
 */
export type Auth = 'KEY' | 'KEY-OR-SIGNED' | 'SIGNED' | 'BODY-SIGNED' | 'PUBLIC'

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path follows {base_url}. Segments like `:name` are path parameters. */
  readonly path: string
  readonly auth: Auth
  readonly summary: string
  readonly params?: z.ZodMiniType
  readonly query?: z.ZodMiniType
  readonly body?: z.ZodMiniType
  /** A SIGNED call may also be signed as BODY-SIGNED, so that the guard knows what the merchant wants. */
  readonly bodyMayBeSigned?: true
  /** A request may omit its body. */
  readonly bodyOptional?: boolean
  readonly status: number
  /** A success may also have this status, with the same kind of answer. */
  readonly alternativeStatus?: number
  readonly answer?: z.ZodMiniType
  /** Clients may send an Idempotency-Key ('optional') or have to ('required'). */
  readonly idempotency?: 'optional' | 'required'
  /** The handler calls chains or providers, so it runs outside a transaction and has a stricter rate limit. */
  readonly callsExternal?: true
  /** It creates or changes one order, which is atomic, so it needs no transaction unless an Idempotency-Key stores the answer too. */
  readonly writesOneOrder?: true
  /** These are the endpoint's own error statuses. Those of authentication, limits and validation follow from the other members. */
  readonly errors?: readonly number[]
}

/** Keeps the exact type of a row of the table, which handlers and clients infer theirs from. */
export const endpoint = <const E extends Endpoint>(row: E): E => row
