import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * An answer whose text is at hand needs no stream to be carried in: read back out of a `Response`, a text costs more than writing it.
 * The server sends it as it is; own pages that call the API in this process get an ordinary response.
 */
const texts = new WeakMap<Response, string>()

/** `incoming`: the request as the HTTP server handed it over, if it did. */
export const textResponse = (text: string, init: ResponseInit, incoming: IncomingMessage | undefined): Response => {
  if (!incoming) return new Response(text, init)
  const response = new Response(null, init)
  texts.set(response, text)
  return response
}

/** True if that was all there was to send. */
export const sendText = (response: Response, outgoing: ServerResponse): boolean => {
  const text = texts.get(response)
  if (text === undefined) return false
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': Buffer.byteLength(text) })
  outgoing.end(text)
  return true
}
