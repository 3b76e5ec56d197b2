import { createHash, createHmac } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { clientAddress, allowanceName, trustedProxies } from '../../server/http/client-address.ts'
import { errorHandler } from '../../server/http/on-error.ts'
import { type Limit, limiter } from '../../server/http/limits.ts'
import { router } from '../../server/http/route.ts'
import { ErrorResponse } from '../../src/wire/error.ts'
import { type Client, now, type RawAnswer, signature, signedHeaders } from '../support/client/client.ts'
import { readExactly } from '../support/client/exact.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'

/** Rate limits, by caller, and what a signature covers. */

let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  ;[process, merchant] = await Promise.all([
    stage.start({ TRUSTED_PROXIES: '127.0.0.1/32', RATE_PER_SECOND: String(calls.perSecond), RATE_BURST: String(calls.burst) }),
    stage.merchant(),
  ])
  client = merchant.at(process)
})
afterAll(async () => {
  await stage?.close()
})

const from = (address: string) => ({ 'x-forwarded-for': address })
const search = (keys: { apiKey: string }, address: string) =>
  client.raw('GET', '/search/currencies?q=usdc', { headers: { 'x-api-key': keys.apiKey, ...from(address) } })
/**
 * Makes many calls at once, until some are refused, and returns a refused one. A slow run is allowed more calls than a fast one, since an
 * allowance grows while it is used up.
 */
async function useUp({ perSecond, burst }: Limit, call: () => Promise<RawAnswer>): Promise<RawAnswer> {
  const began = performance.now()
  const answers: RawAnswer[] = []
  const refused = () => answers.filter(({ status }) => status === 429)
  while (refused().length === 0) answers.push(...(await Promise.all(Array.from({ length: burst + 10 }, call))))
  const allowed = burst + Math.ceil(((performance.now() - began) / 1_000) * perSecond)
  expect(answers.length - refused().length).toBeGreaterThanOrEqual(burst)
  expect(answers.length - refused().length).toBeLessThanOrEqual(allowed)
  return refused()[0]!
}
const calls = { perSecond: 1, burst: 4 }
const misses = { perSecond: 0.5, burst: 30 }

test('behavior: calls with an API key are counted by key and address', async () => {
  const refused = await useUp(calls, () => search(merchant.keys, '198.51.100.1'))
  expect(readExactly(ErrorResponse, refused.json()).code).toBe(429)
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  expect((await search(merchant.keys, '198.51.100.2')).status).toBe(200)
  expect((await search((await stage.merchant()).keys, '198.51.100.1')).status).toBe(200)
})

test('behavior: an IPv6 caller is its /64', async () => {
  const mine = ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff::2', '2001:db8:1:2:3:4:5:6']
  let call = 0
  await useUp(calls, () => search(merchant.keys, mine[call++ % 3]!))
  expect((await search(merchant.keys, '2001:db8:1:3::1')).status).toBe(200)
})

test('behavior: signed calls are counted by key, whatever their address', async () => {
  const tenant = await stage.merchant()
  let address = 0
  await useUp(calls, () =>
    client.raw('GET', '/orders', { headers: { ...signedHeaders(tenant.keys, 'GET', '/orders'), ...from(`203.0.113.${address++}`) } }),
  )
  // A caller with only the publishable key uses up none of the merchant's signed allowance.
  const other = await stage.merchant()
  await useUp(calls, () => search(other.keys, '203.0.113.50'))
  expect(
    (await client.raw('GET', '/orders', { headers: { ...signedHeaders(other.keys, 'GET', '/orders'), ...from('203.0.113.50') } })).status,
  ).toBe(200)
})

test('behavior: thirty misses a minute are allowed, and they cost valid calls nothing', async () => {
  const address = '198.51.100.77'
  const guess = () =>
    client.raw('GET', '/orders', {
      headers: { ...signedHeaders({ ...merchant.keys, secret: 'sk_guess' }, 'GET', '/orders'), ...from(address) },
    })
  const refused = await useUp(misses, guess)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  // Valid calls from the same address still succeed.
  const tenant = await stage.merchant()
  expect(
    (await client.raw('GET', '/orders', { headers: { ...signedHeaders(tenant.keys, 'GET', '/orders'), ...from(address) } })).status,
  ).toBe(200)
  expect((await search(tenant.keys, address)).status).toBe(200)
  // Unknown orders count as misses too, so the guesses have left fewer than thirty for them.
  const nope = () => client.raw('GET', '/orders/ord_nope', { headers: { 'x-api-key': tenant.keys.apiKey, ...from(address) } })
  const answers = await Promise.all(Array.from({ length: 20 }, nope))
  expect(answers.map(({ status }) => status)).toContain(429)
  expect(
    (await client.raw('GET', '/orders/ord_nope', { headers: { 'x-api-key': tenant.keys.apiKey, ...from('198.51.100.78') } })).status,
  ).toBe(404)
})

test('behavior: calls that query a chain have a separate allowance by key and address', async () => {
  const lookups = await stage.start({ TRUSTED_PROXIES: '127.0.0.1/32', LOOKUP_RATE_PER_SECOND: '1', LOOKUP_RATE_BURST: '3' })
  const tenant = await stage.merchant()
  const wallets = [{ address: `0x${'12'.repeat(20)}`, chain_type: 'EVM', chain_ids: [8453] }]
  const portfolio = (address: string) =>
    tenant.at(lookups).raw('POST', '/wallet/portfolio', {
      body: JSON.stringify({ wallets }),
      headers: { 'x-api-key': tenant.keys.apiKey, 'content-type': 'application/json', ...from(address) },
    })
  await useUp({ perSecond: 1, burst: 3 }, () => portfolio('198.51.100.9'))
  expect((await portfolio('198.51.100.10')).status).toBe(200)
  expect(
    (
      await tenant
        .at(lookups)
        .raw('GET', '/search/currencies?q=usdc', { headers: { 'x-api-key': tenant.keys.apiKey, ...from('198.51.100.9') } })
    ).status,
  ).toBe(200)
})

test('behavior: without a signature a payment that asks a chain has that allowance too, and one by plain transfer does not', async () => {
  const slow = await stage.start({ TRUSTED_PROXIES: '127.0.0.1/32', LOOKUP_RATE_PER_SECOND: '1', LOOKUP_RATE_BURST: '3' })
  const tenant = await stage.merchant()
  const { id } = await tenant.at(slow).ask('createOrder', { body: { mode: 'SALE', amount: '10', fiat_unit: 'usd' } })
  let given = 0
  const pay = (address: string, more: object = {}) =>
    tenant.at(slow).raw('POST', `/orders/${id}/payment`, {
      body: JSON.stringify({
        source: { currency: { chain_id: 8453, address: stage.base.token('USDC') }, payment_rail: 'CRYPTO' },
        ...more,
      }),
      headers: { 'x-api-key': tenant.keys.apiKey, 'content-type': 'application/json', ...from(address) },
    })
  const withRefundAddress = (address: string) => pay(address, { refund_address: `0x${String(++given).padStart(40, '0')}` })
  await useUp({ perSecond: 1, burst: 3 }, () => withRefundAddress('198.51.100.19'))
  expect((await pay('198.51.100.19')).status).toBe(200)
  expect((await withRefundAddress('198.51.100.20')).status).not.toBe(429)
})

test('behavior: X-Forwarded-For counts only as far as trusted proxies wrote it', () => {
  const isTrusted = trustedProxies(['10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
  const seen = (remote: string, header?: string) => clientAddress(remote, header, isTrusted)
  expect(seen('203.0.113.9', '1.1.1.1')).toBe('203.0.113.9')
  expect(seen('10.0.0.1', '1.1.1.1')).toBe('1.1.1.1')
  expect(seen('::ffff:10.0.0.1', '1.1.1.1')).toBe('1.1.1.1')
  expect(seen('10.0.0.1', '6.6.6.6, 1.1.1.1')).toBe('1.1.1.1')
  expect(seen('10.0.0.1', '6.6.6.6, 1.1.1.1, 10.2.3.4')).toBe('1.1.1.1')
  expect(seen('10.0.0.1', '6.6.6.6, nonsense, 10.2.3.4')).toBe('10.2.3.4')
  expect(seen('10.0.0.1', 'nonsense')).toBe('10.0.0.1')
  expect(seen('10.0.0.1', '')).toBe('10.0.0.1')
  expect(seen('10.0.0.1')).toBe('10.0.0.1')
  expect(seen('192.0.2.1', '2001:db8::1')).toBe('2001:db8::1')
  expect(allowanceName('2001:db8::1')).toBe(allowanceName('2001:0db8:0:0:ffff::'))
  expect(allowanceName('::1')).toBe('0:0:0:0')
})

test('behavior: a bucket refills over time and never beyond its burst', () => {
  let time = 0
  const bucket = limiter({ perSecond: 2, burst: 3 }, () => time)
  expect([1, 2, 3].map(() => bucket.take('a'))).toEqual([0, 0, 0])
  expect(bucket.take('a')).toBe(1)
  expect(bucket.take('b')).toBe(0)
  time = 500
  expect([bucket.take('a'), bucket.take('a')]).toEqual([0, 1])
  time = 1_000_000
  expect([1, 2, 3, 4].map(() => bucket.take('a') > 0)).toEqual([false, false, false, true])
  const slow = limiter({ perSecond: 0.1, burst: 1 }, () => time)
  expect([slow.take('a'), slow.take('a')]).toEqual([0, 10])
})

/** The router runs without a service here so that the test controls the exact bytes. */
test('behavior: BODY-SIGNED covers the exact bytes', async () => {
  const keys = { apiKey: 'pk_internal', secret: 'sk_internal' }
  const app = new Hono()
  app.onError(errorHandler({ error: () => undefined, warn: () => undefined } as never))
  const free = { take: () => 0, peek: () => 0 }
  const route = router(app, {
    prefix: '',
    sql: undefined as never,
    keys: {
      find: async (apiKey) =>
        apiKey === keys.apiKey ? { id: 'k', organizationId: 'o', isLive: true, secret: keys.secret, isInternal: true } : undefined,
      active: async () => new Set(),
      flush: async () => undefined,
    },
    clock: Date.now,
    calls: free,
    misses: free,
    lookups: free,
    addressOf: () => 'here',
  })
  route(
    {
      method: 'POST',
      path: '/challenge',
      auth: 'BODY-SIGNED',
      summary: '',
      body: z.object({ email: z.string() }),
      status: 200,
      callsExternal: true,
    },
    async ({ body, caller }) => ({ body: { email: body.email, signed: caller.signed } }),
  )
  const body = '{ "email": "a@b.example" }'
  const post = async (proof: string, sent = body, path = '/challenge') => {
    const answer = await app.request(path, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/json', authorization: keys.apiKey, 'authorization-signature': proof },
    })
    return answer.status
  }
  expect(await post(signature(keys, 'POST', '/challenge', now(), body))).toBe(200)
  expect(await post(signature(keys, 'POST', '/challenge', now(), body), body, '/challenge?a=1')).toBe(200)
  expect(await post(signature(keys, 'POST', '/challenge'))).toBe(401)
  expect(await post(signature(keys, 'POST', '/challenge', now(), JSON.stringify(JSON.parse(body))))).toBe(401)
  expect(await post(signature(keys, 'POST', '/challenge', now(), body), `${body} `)).toBe(401)
  expect(await post(signature(keys, 'POST', '/challenge', String(Number(now()) - 301), body))).toBe(401)
  // The signature is computed here independently of the helper.
  const timestamp = now()
  const digest = createHash('sha256').update(body).digest('hex')
  const hex = createHmac('sha256', keys.secret).update(`POST/challenge${timestamp}${digest}`).digest('hex')
  expect(await post(`APIKey=${keys.apiKey},signature=${hex},timestamp=${timestamp}`)).toBe(200)
})
