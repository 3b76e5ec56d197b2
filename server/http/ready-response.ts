import type { IncomingMessage } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'

/** What the HTTP server hands over with a request; tests that call an app directly leave it out. */
export interface Incoming {
  readonly incoming?: IncomingMessage
  /** The server writes the body of a `readyResponse` itself. */
  readonly sendsReady?: true
  /** Where the payer is, as a trusted proxy says. */
  readonly country?: string
}

/**
 * A response whose body is at hand. Reading it back out of a `Response` would copy it through a stream, at a higher cost than writing it,
 * so the server gets the bytes beside an empty `Response`. Without a server that takes them, as in tests, it is an ordinary response.
 */
const bodies = new WeakMap<Response, string | Uint8Array<ArrayBuffer>>()

export function readyResponse(c: Context, body: string | Uint8Array<ArrayBuffer>, init: ResponseInit): Response {
  if (!(c.env as Incoming | undefined)?.sendsReady) return new Response(body, init)
  const response = new Response(null, init)
  bodies.set(response, body)
  return response
}

/** Sends the body of a ready response. False when it is not one. */
export function sendReady(response: Response, outgoing: ServerResponse): boolean {
  const body = bodies.get(response)
  if (body === undefined) return false
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': length })
  outgoing.end(body)
  return true
}
