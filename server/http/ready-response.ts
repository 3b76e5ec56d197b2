import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { Incoming } from './route.ts'

/**
 * An answer that is at hand needs no stream to be carried in: read back out of a `Response`, it is copied and costs more than writing it.
 * The server sends it as it is; own pages that call the API in this process get an ordinary response.
 */
const bodies = new WeakMap<Response, string | Uint8Array<ArrayBuffer>>()

export function readyResponse(c: Context, body: string | Uint8Array<ArrayBuffer>, init: ResponseInit): Response {
  if (!(c.env as Incoming | undefined)?.sendsReady) return new Response(body, init)
  const response = new Response(null, init)
  bodies.set(response, body)
  return response
}

/** True if that was all there was to send. */
export function sendReady(response: Response, outgoing: ServerResponse): boolean {
  const body = bodies.get(response)
  if (body === undefined) return false
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': length })
  outgoing.end(body)
  return true
}
