import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import type { ChainId } from '../../src/wire/chain.ts'
import { readyResponse } from '../http/ready-response.ts'
import { compressed, encodingOf, type Encoding } from '../pages/compression.ts'
import { openapi } from './openapi.ts'
import { page } from './page.ts'
import type { Description } from './schema.ts'
import { style } from './style.ts'

/** Serves the API's description for people. It is the same for everybody until the next release, so it is rendered only once. */
export function reference(payUrl: string, sheet: string, chainIds: readonly ChainId[]): Hono {
  const app = new Hono()
  let known:
    | { readonly bytes: (encoding: Encoding | undefined) => Uint8Array<ArrayBuffer>; readonly headers: Record<string, string> }
    | undefined
  app.get('/reference', (c) => {
    known ??= made(payUrl, sheet, chainIds)
    const encoding = encodingOf(c.req.header('accept-encoding'))
    const headers = { ...known.headers, ...(encoding ? { 'content-encoding': encoding } : {}) }
    if (c.req.header('if-none-match')?.includes(known.headers.etag ?? ''))
      return new Response(null, { status: 304, headers: known.headers })
    return readyResponse(c, known.bytes(encoding), { headers })
  })
  return app
}

function made(payUrl: string, sheet: string, chainIds: readonly ChainId[]) {
  const css = sheet + style
  // Our own code generated this from the routing table, so its shape is known.
  const description = openapi(`${payUrl}/v3`, payUrl, chainIds) as unknown as Description
  const plain = new TextEncoder().encode(page(description, css))
  const compressedOnce = new Map<Encoding, Uint8Array<ArrayBuffer>>()
  const hash = (text: string | Uint8Array) => createHash('sha256').update(text).digest('base64')
  return {
    bytes: (encoding: Encoding | undefined): Uint8Array<ArrayBuffer> => {
      if (encoding === undefined) return plain
      const bytes = compressedOnce.get(encoding) ?? compressed(plain, encoding, 'best')
      compressedOnce.set(encoding, bytes)
      return bytes
    },
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=300',
      // The ETag is weak, since the compressed and the uncompressed page share it.
      etag: `W/"${hash(plain).slice(0, 20)}"`,
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash(css)}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'accept-encoding',
    },
  }
}
