import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

/** The HTTP server passes these with a request. Tests that call an app directly leave them out. */
export interface RequestBindings {
  readonly incoming?: IncomingMessage
  /** A server sets this if it writes the body of a `readyResponse` itself. */
  readonly writesReadyBody?: true
  /** The payer's country is undefined if `countryFrom` could not determine it. */
  readonly country?: string
}

/** Reading a body back out of a `Response` would cost more than writing it, so the server gets the bytes beside an empty `Response`. */
const bodies = new WeakMap<Response, string | Uint8Array<ArrayBuffer>>()

export function readyResponse(c: Context, body: string | Uint8Array<ArrayBuffer>, init: ResponseInit): Response {
  if (!(c.env as RequestBindings | undefined)?.writesReadyBody) return new Response(body, init)
  const response = new Response(null, init)
  bodies.set(response, body)
  return response
}

/** Sends a ready response, or returns false if the response is not one. */
export function sendReady(response: Response, outgoing: ServerResponse): boolean {
  const body = bodies.get(response)
  if (body === undefined) return false
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': length })
  outgoing.end(body)
  return true
}
