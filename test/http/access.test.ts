import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../src/wire/endpoints.ts'
import { identify } from '../../server/http/access.ts'
import { ApiError } from '../../server/http/api-error.ts'
import { sign, textToSign } from '../../server/http/signature.ts'

/** Which signatures an endpoint takes. */

const now = Date.UTC(2026, 0, 15)
const timestamp = String(now / 1000)
const key = { id: 'key_1', organizationId: 'org_1', isLive: true, secret: 'sk_1', isInternal: false }
const unlimited = { take: () => 0 }
const body = new TextEncoder().encode('{"amount":"1"}')

async function statusOf(endpoint: (typeof endpoints)['refundOrder' | 'putSettlements'], path: string, signed: string): Promise<number> {
  const parts = {
    keys: { find: async () => key, active: async () => new Set<string>(), flush: async () => {} },
    clock: () => now,
    calls: unlimited,
    misses: unlimited,
    lookups: unlimited,
    addressOf: () => '127.0.0.1',
  } as never
  const app = new Hono().all('*', async (c) => {
    await identify(parts, c, endpoint, path, body)
    return c.body(null, 204)
  })
  app.onError((error) => new Response(null, { status: error instanceof ApiError ? error.status : 500 }))
  const headers = {
    authorization: 'pk_1',
    'authorization-signature': `APIKey=pk_1,signature=${sign('sk_1', signed)},timestamp=${timestamp}`,
  }
  return (await app.request(path, { method: endpoint.method, headers })).status
}

describe('signatures', () => {
  const path = '/orders/ord_1/refund'
  const list = '/organization/settlements'
  test('default: a refund may be signed with or without its body, and with this body alone', async () => {
    expect(await statusOf(endpoints.refundOrder, path, textToSign('POST', path, timestamp))).toBe(204)
    expect(await statusOf(endpoints.refundOrder, path, textToSign('POST', path, timestamp, body))).toBe(204)
    expect(await statusOf(endpoints.refundOrder, path, textToSign('POST', path, timestamp, body.slice(1)))).toBe(401)
    expect(await statusOf(endpoints.refundOrder, path, textToSign('POST', list, timestamp))).toBe(401)
  })

  test('error: where the body must be signed, a signature without it is refused', async () => {
    expect(await statusOf(endpoints.putSettlements, list, textToSign('PUT', list, timestamp, body))).toBe(204)
    expect(await statusOf(endpoints.putSettlements, list, textToSign('PUT', list, timestamp))).toBe(401)
  })
})
