import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkWebhook } from '../../embed/server.ts'
import { signDelivery } from '../../server/webhooks/send-delivery.ts'
import { type Client, createClient, now, signature, signedHeaders } from '../support/client/client.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { answersIn, bodyOf, exchange, statusOf } from './wire.ts'

/** Guessing, replaying and request smuggling against the built service. */

let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
let other: Client
let orderId: string
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  ;[process, merchant] = await Promise.all([stage.start({ TRUSTED_PROXIES: '127.0.0.1/32' }), stage.merchant()])
  client = merchant.at(process)
  other = (await stage.merchant()).at(process)
})
beforeEach(async () => {
  orderId = (await client.ask('createOrder', { body: sale })).id
})
afterAll(async () => {
  const output = process?.service.output() ?? ''
  await stage?.close()
  expect(output).not.toMatch(/"level":(50|60)/)
  expect(output).not.toContain(merchant.keys.secret)
})

const sale = { mode: 'SALE', amount: '1', fiat_unit: 'usd' }
let callers = 0
const fromNewAddress = () => ({ 'x-forwarded-for': `10.9.${callers >> 8}.${callers++ & 255}` })
const host = ['Host: till', 'Connection: close']
const keyLine = () => `X-API-KEY: ${merchant.keys.apiKey}`

test('behavior: ids hold 128 random bits and do not repeat', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await client.ask('createOrder', { body: sale })).id))
  expect(new Set(ids).size).toBe(50)
  const tails = ids.map((id) => Buffer.from(id.replace(/^ord_/, ''), 'base64url'))
  for (const tail of tails) expect(tail).toHaveLength(16)
  // Ids contain no counter and no clock, so every byte position varies.
  for (let at = 0; at < 16; at++) expect(new Set(tails.map((tail) => tail[at])).size).toBeGreaterThan(10)
})

test('error: guessed, foreign and malformed ids get byte-identical answers', async () => {
  const foreign = (await other.ask('createOrder', { body: sale })).id
  const ask = async (id: string) => {
    const { status, text, headers } = await client.raw('GET', `/orders/${id}`, {
      headers: { 'x-api-key': merchant.keys.apiKey, ...fromNewAddress() },
    })
    return { status, text, headers: [...headers.keys()].sort() }
  }
  const [first, second] = [await ask(foreign), await ask(`${foreign.slice(0, -4)}AAAA`)]
  expect(first.status).toBe(404)
  expect(second).toEqual(first)
  const pages = await Promise.all(
    [foreign.slice(0, -4) + 'AAAA', 'nope'].map(async (id) => {
      const answer = await fetch(`${process.service.payUrl}/pay/${id}`, { headers: fromNewAddress() })
      return [answer.status, (await answer.text()).replaceAll(id, '').replaceAll(/nonce="[^"]+"|"now":\d+/g, '')]
    }),
  )
  expect(pages[0]).toEqual(pages[1])
  expect(pages[0]![0]).toBe(404)
})

test('error: a signature for another method, path, time or body is refused', async () => {
  const { keys } = merchant
  const replay = (method: string, path: string, proof: string, body = '{}') =>
    client.raw(method, path, {
      body: method === 'GET' ? undefined : body,
      headers: {
        authorization: keys.apiKey,
        'authorization-signature': proof,
        'content-type': 'application/json',
        'idempotency-key': 'k',
        ...fromNewAddress(),
      },
    })
  const list = signature(keys, 'GET', '/orders')
  expect((await replay('GET', '/orders', list)).status).toBe(200)
  expect((await replay('GET', '/invoices', list)).status).toBe(401)
  expect((await replay('GET', '/webhooks', list)).status).toBe(401)
  expect((await replay('POST', '/orders', list, JSON.stringify(sale))).status).toBe(401)
  expect((await replay('POST', `/orders/${orderId}/refund`, list)).status).toBe(401)
  const old = String(Number(now()) - 301)
  expect((await replay('GET', '/orders', signature(keys, 'GET', '/orders', old))).status).toBe(401)
  // A request may carry one of each of these headers, or none.
  const twice = await exchange(process.baseUrl, [
    'GET /v3/orders HTTP/1.1',
    ...host,
    `Authorization: ${keys.apiKey}`,
    `Authorization-Signature: ${list}`,
    `Authorization-Signature: ${list}`,
    'X-Forwarded-For: 10.8.0.1',
  ])
  expect(statusOf(twice)).toBe(401)
})

test('behavior: replaying a call creates nothing twice', async () => {
  const before = (await client.ask('listOrders')).pagination.total_count
  const body = JSON.stringify(sale)
  const headers = { ...signedHeaders(merchant.keys, 'POST', '/orders'), 'content-type': 'application/json', 'idempotency-key': 'again' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.raw('POST', '/orders', { body, headers })))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect((await client.ask('listOrders')).pagination.total_count).toBe(before + 1)
  const changed = await client.raw('POST', '/orders', { body: body.replace('"1"', '"2"'), headers })
  expect(changed.status).toBe(409)
  // Operations that move money require an idempotency key.
  const refund = `/orders/${orderId}/refund`
  const bare = await client.raw('POST', refund, {
    body: '{"amount":"1"}',
    headers: { ...signedHeaders(merchant.keys, 'POST', refund), 'content-type': 'application/json' },
  })
  expect(bare.status).toBe(400)
})

test('error: a webhook is accepted only with its exact bytes and its own secret', async () => {
  const body = JSON.stringify({ event: 'ORDER_COMPLETED', delivered_at: '2026-05-01T00:00:00Z', order: { id: orderId } })
  const good = signDelivery(['whsec_a'], body)
  expect(await checkWebhook(body, good, 'whsec_a')).toMatchObject({ ok: true, event: { event: 'ORDER_COMPLETED' } })
  expect((await checkWebhook(body, signDelivery(['whsec_old', 'whsec_a'], body), 'whsec_a')).ok).toBe(true)
  for (const [text, header, secret] of [
    [`${body} `, good, 'whsec_a'],
    [body.replace('COMPLETED', 'completed'), good, 'whsec_a'],
    [body, good, 'whsec_b'],
    [body, good.toLowerCase(), 'whsec_a'],
    [body, good.slice(0, -2), 'whsec_a'],
    [body, `${good.slice(0, 8)}=${good.slice(9)}`, 'whsec_a'],
    [body, '', 'whsec_a'],
    [body, ','.repeat(1_000), 'whsec_a'],
    [body, undefined, 'whsec_a'],
  ] as const)
    expect((await checkWebhook(text, header, secret)).ok).toBe(false)
})

/** The `hidden` request is inside another request's body and must never be answered. */
const hidden = 'GET /v3/openapi.json HTTP/1.1\r\nHost: till\r\n\r\n'
const smuggles: [string, readonly string[], string][] = [
  ['both lengths', ['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['both lengths, the other way', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${hidden}`],
  ['two lengths', ['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden],
  ['a list of lengths', [`Content-Length: 0, ${hidden.length}`], hidden],
  ['a signed length', ['Content-Length: +0'], hidden],
  ['a length in hexadecimal', ['Content-Length: 0x0'], hidden],
  ['an encoding nobody knows', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${hidden}`],
  ['chunked and then another', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${hidden}`],
  ['an encoding with a space before its colon', ['Transfer-Encoding : chunked', 'Content-Length: 4'], `0\r\n\r\n${hidden}`],
  ['an encoding on a folded line', ['X: a', ' Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['a bare line feed', ['X: a\nTransfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['a chunk of no length', ['Transfer-Encoding: chunked'], `g\r\n\r\n${hidden}`],
  ['a chunk longer than memory', ['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n${hidden}`],
  ['NUL in a header', ['X: a\0b'], hidden],
]
test.each(smuggles)('error: %s: no second request is smuggled in', async (_, headers, body) => {
  const answer = await exchange(
    process.baseUrl,
    ['POST /v3/orders HTTP/1.1', 'Host: till', 'Connection: close', 'Content-Type: application/json', ...headers, keyLine()],
    body,
  )
  expect(answersIn(answer)).toBe(1)
  expect(answer).not.toContain('"openapi"')
  expect(statusOf(answer)).toBeGreaterThanOrEqual(400)
  expect(statusOf(answer)).toBeLessThan(500)
})

test('error: alternative spellings of a path reach no other route', async () => {
  const get = (target: string, ...more: string[]) =>
    exchange(process.baseUrl, [`GET ${target} HTTP/1.1`, ...host, keyLine(), 'X-Forwarded-For: 10.7.0.1', ...more])
  // A Host header chosen by the caller must appear nowhere in a response.
  for (const target of [`http://evil.example/pay/${orderId}`, `/pay/${orderId}`]) {
    const answer = await get(target, 'X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example')
    expect(answer).not.toContain('evil.example')
  }
  for (const target of [
    '//evil.example',
    '//evil.example/%2e%2e',
    `/pay/${orderId}/../../v3/orders`,
    '/\\evil.example',
    '/%5cevil.example',
    '/pay//evil.example',
    '/v3//evil.example/',
    `/pay/${orderId}/receipt/`,
    '/pay/%2F%2Fevil.example/receipt',
  ]) {
    const answer = await get(target)
    expect(statusOf(answer), target).toBeGreaterThanOrEqual(400)
    expect(statusOf(answer), target).toBeLessThan(500)
    expect(answer, target).not.toMatch(/^location:/im)
  }
})

test('behavior: an X-Forwarded-For entry written before the proxy is not trusted', async () => {
  const guess = (forwarded: string) =>
    client.raw('GET', '/orders/ord_guess', { headers: { 'x-api-key': merchant.keys.apiKey, 'x-forwarded-for': forwarded } })
  const codes: number[] = []
  const count = (status: number) => codes.filter((code) => code === status).length
  const began = performance.now()
  /** Thirty misses a minute are allowed, so another one every two seconds. */
  const allowed = () => 31 + Math.ceil((performance.now() - began) / 2_000)
  while (count(429) < 3) codes.push((await guess(`203.0.113.${codes.length}, 198.51.100.200`)).status)
  expect(count(404)).toBeLessThanOrEqual(allowed())
  const lines = Array.from({ length: 3 }, (_, index) => `X-Forwarded-For: ${['203.0.113.90', '203.0.113.91', '198.51.100.200'][index]}`)
  while (count(429) < 4)
    codes.push(statusOf(await exchange(process.baseUrl, ['GET /v3/orders/ord_guess HTTP/1.1', ...host, keyLine(), ...lines])))
  expect(count(404)).toBeLessThanOrEqual(allowed())
})

test('error: text from an unauthenticated caller cannot end a response header', async () => {
  const reference = 'a"\r\nSet-Cookie: x=1\r\n\r\n<script>'
  await client.refused('createOrder', 400, { body: { ...sale, metadata: { reference: 'a\u0000' } } })
  const made = await client.ask('createOrder', { body: { ...sale, metadata: { reference } } })
  for (const path of ['', '/receipt', '?locale=%0d%0aSet-Cookie:x=1', '/logo', '/receipt?locale=%0d%0aX:1']) {
    const answer = await fetch(`${process.service.payUrl}/pay/${made.id}${path}`, { redirect: 'manual' })
    expect(answer.headers.get('set-cookie'), path).toBeNull()
    expect(answer.headers.get('x')).toBeNull()
    expect(answer.headers.get('location') ?? `/pay/${made.id}`).toMatch(new RegExp(`^/pay/${made.id}`))
  }
  const form = await fetch(`${process.service.payUrl}/pay/${made.id}?locale=%0d%0aX:1%2F%2Fevil.example`, {
    method: 'POST',
    body: new URLSearchParams({ act: 'currency', currency: `8453-${stage.base.token('USDC')}\r\nX: 1` }),
    redirect: 'manual',
  })
  expect(form.headers.get('x')).toBeNull()
  expect(form.headers.get('location') ?? `/pay/${made.id}`).toMatch(new RegExp(`^/pay/${made.id}`))
  const paymentRequired = await client.raw('POST', `/orders/${made.id}/x402/complete`, { headers: fromNewAddress() })
  expect(paymentRequired.status).toBe(402)
  expect(paymentRequired.headers.get('payment-required')).toMatch(/^[A-Za-z0-9+/=]+$/)
})

test('behavior: no cache keeps a private response, whoever requests it and whatever its status', async () => {
  const good = await client.raw('GET', `/orders/${orderId}`, { headers: { 'x-api-key': merchant.keys.apiKey } })
  const denied = await client.raw('GET', `/orders/${orderId}`, { headers: fromNewAddress() })
  const none = await client.raw('GET', '/nothing', { headers: fromNewAddress() })
  const v2 = await createClient(client.baseUrl.replace('/v3', '/v2'), merchant.keys).raw('GET', `/pay-orders/${orderId}/payment-methods`, {
    headers: { 'x-api-key': merchant.keys.apiKey },
  })
  for (const { headers } of [good, denied, none, v2]) {
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  const page = await fetch(`${process.service.payUrl}/pay/${orderId}`)
  expect(page.headers.get('cache-control')).toBe('private, no-cache')
  expect(page.headers.get('vary')).toBe('accept-encoding, accept-language')
  expect(bodyOf(await exchange(process.baseUrl, ['HEAD /v3/openapi.json HTTP/1.1', ...host]))).toBe('')
})
