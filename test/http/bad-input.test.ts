import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { ErrorResponse } from '../../src/wire/error.ts'
import { putOrganization } from '../../server/organizations/organizations.ts'
import { type Client, createClient, type Keys, type Name, type RawAnswer, signature, signedHeaders } from '../support/client/client.ts'
import { readExactly } from '../support/client/exact.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { type Examples, examplesWith, statusOfExample } from '../support/client/api-examples.ts'
import { hostile, jsonOf, places } from '../support/client/hostile.ts'

/** Any input gets the right status in one error shape, and never a 500. */

let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
let other: Client
let internal: Keys
let examples: Examples
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  ;[process, merchant] = await Promise.all([
    stage.start({ TRUSTED_PROXIES: '127.0.0.1/32', SETTLEMENT_DELAY_SECONDS: '0' }),
    stage.merchant(),
  ])
  client = merchant.at(process)
  other = (await stage.merchant()).at(process)
  internal = { apiKey: `${merchant.keys.apiKey}_internal`, secret: 'sk_internal' }
  await putOrganization(stage.database.sql, merchant.organization, [
    { id: 'key_internal', ...internal, label: 'Internal', isInternal: true },
  ])
  examples = await freshExamples()
})
afterAll(async () => {
  await stage?.close()
  expect(process?.service.output()).not.toMatch(/"level":(50|60)/)
})

const names = Object.keys(endpoints) as Name[]

const nothing = { orderId: '', webhookId: '', apiKeyId: '', invoiceId: '', challengeId: '', token: '' }

async function freshExamples() {
  const token = stage.base.token('USDC')
  const order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  // An organisation may have sixteen webhooks with distinct addresses, so all but the first are deleted.
  for (const { id } of (await client.ask('listWebhooks')).data.slice(1)) await client.ask('deleteWebhook', { params: { webhook_id: id } })
  const webhook = await client.ask('createWebhook', { body: { url: `https://shop.example/${order.id}`, events: ['ORDER_COMPLETED'] } })
  const { data } = await client.ask('listApiKeys')
  const { id: invoiceId } = await client.ask('createInvoiceDraft', examplesWith(nothing).createInvoiceDraft)
  const { challenge_id: challengeId } = await createClient(client.baseUrl, internal).ask('createEmailChallenge', {
    body: { email: `${order.id}@shop.example` },
  })
  return examplesWith({ orderId: order.id, webhookId: webhook.id, apiKeyId: data[0]!.id, invoiceId, challengeId, token })
}

/** Each call comes from another address so that the limit for misses does not interfere. */
let callers = 0
const fromNewAddress = () => ({ 'x-forwarded-for': `198.51.${(callers >> 8) & 255}.${callers++ & 255}` })

interface Prepared {
  readonly endpoint: Endpoint
  readonly path: string
  readonly headers: Record<string, string>
}

function prepare(
  name: Name,
  { params, signed, body }: { params?: Record<string, string>; signed?: boolean; body?: string | Uint8Array } = {},
): Prepared {
  const endpoint: Endpoint = endpoints[name]
  const example = examples[name] ?? {}
  const all = { ...example.params, ...params }
  const path = endpoint.path.replace(/:(\w+)/g, (_, param: string) => all[param] ?? 'x')
  const mustSign = signed ?? (endpoint.auth !== 'KEY' && endpoint.auth !== 'PUBLIC')
  const isInternal = endpoint.auth === 'BODY-SIGNED'
  const keys = isInternal ? internal : merchant.keys
  const auth = mustSign
    ? signedHeaders(keys, endpoint.method, path, undefined, isInternal ? (body ?? '') : undefined)
    : { 'x-api-key': keys.apiKey }
  return {
    endpoint,
    path,
    headers: { ...auth, ...(endpoint.idempotency === 'required' ? { 'idempotency-key': `k${callers}` } : {}), ...fromNewAddress() },
  }
}

function send(
  name: Name,
  {
    body,
    type = 'application/json',
    query = '',
    headers = {},
    ...more
  }: {
    body?: string | Uint8Array<ArrayBuffer>
    type?: string
    query?: string
    headers?: Record<string, string>
    params?: Record<string, string>
    signed?: boolean
  } = {},
) {
  const { endpoint, path, headers: own } = prepare(name, { ...more, body })
  return client.raw(endpoint.method, path + query, {
    body,
    headers: { ...own, ...(body === undefined || type === '' ? {} : { 'content-type': type }), ...headers },
  })
}

function expectRefusal(answer: RawAnswer, status: number) {
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)])
  const body = readExactly(ErrorResponse, answer.json())
  expect(body.code).toBe(status)
  expect(body.message.length).toBeGreaterThan(5)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.text).not.toMatch(/postgres|select |insert |node_modules|\.ts:|zod/i)
  return body
}

function expectSuccess(name: Name, answer: RawAnswer) {
  const endpoint: Endpoint = endpoints[name]
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([endpoint.status, expect.any(String)])
  if (endpoint.answer) readExactly(endpoint.answer, answer.json())
}

const hasBody = (name: Name) => (endpoints[name] as Endpoint).body !== undefined
const withBody = names.filter(hasBody)

describe('well-formed requests are answered by their schema', () => {
  test.each(names)('default: %s', async (name) => {
    const example = (await freshExamples())[name]
    const { endpoint, path, headers } = prepare(name, {
      params: example.params,
      body: example.body === undefined ? '' : JSON.stringify(example.body),
    })
    const answer = await client.raw(endpoint.method, example.query ? `${path}?${new URLSearchParams(example.query)}` : path, {
      body: example.body === undefined ? undefined : JSON.stringify(example.body),
      headers: { ...headers, ...(example.body === undefined ? {} : { 'content-type': 'application/json' }) },
    })
    const other = statusOfExample[name]
    if (other === undefined) expectSuccess(name, answer)
    else expectRefusal(answer, other)
  })
})

describe('bodies', () => {
  /** The schema defines malformed bodies. A body that passes it succeeds or violates a business rule. */
  test.each(withBody)('behavior: %s with arbitrary values in any place', async (name) => {
    const endpoint: Endpoint = endpoints[name]
    const schema = endpoint.body
    const whole = examples[name]!.body
    const cases = places(whole).flatMap((place) => [
      { what: `${place.path.join('.')} missing`, body: jsonOf(place.without()) },
      ...hostile.map(([label, value]) => ({ what: `${place.path.join('.')} is ${label}`, body: jsonOf(place.with(value)) })),
    ])
    const seen = new Map<number, number>()
    for (let start = 0; start < cases.length; start += 20) {
      await Promise.all(
        cases.slice(start, start + 20).map(async ({ what, body }) => {
          const answer = await send(name, { body })
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          const isWellFormed = z.safeParse(schema!, JSON.parse(body)).success
          try {
            if (!isWellFormed) expectRefusal(answer, 400)
            else if (answer.status < 300) expectSuccess(name, answer)
            else expectRefusal(answer, [404, 429, ...(endpoint.errors ?? [])].find((status) => status === answer.status) ?? 422)
          } catch (error) {
            throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
          }
        }),
      )
    }
    expect(seen.get(400) ?? 0).toBeGreaterThan(cases.length / 3)
  })

  const amounts: [string, unknown, number][] = [
    ['a number', 42.5, 400],
    ['null', null, 400],
    ['missing', undefined, 400],
    ['empty', '', 400],
    ['negative', '-1', 400],
    ['minus zero', '-0', 400],
    ['signed', '+1', 400],
    ['exponent', '1e2', 400],
    ['capital exponent', '1E2', 400],
    ['hexadecimal', '0x1', 400],
    ['padded', ' 1', 400],
    ['with a newline', '1\n', 400],
    ['with a separator', '1,000.00', 400],
    ['a trailing point', '1.', 400],
    ['a leading point', '.5', 400],
    ['Arabic digits', '٤٢', 400],
    ['79 digits', '1'.repeat(79), 400],
    ['37 decimals', `0.${'1'.repeat(37)}`, 400],
    ['NaN', 'NaN', 400],
    ['zero', '0', 422],
    ['zero with decimals', '0.00', 422],
    ['78 digits', '1'.repeat(78), 422],
    ['less than any unit', '0.000000000000000001', 422],
    ['a cent: settling it costs more', '0.01', 422],
    ['many decimals', '1.123456789', 201],
  ]
  test.each(amounts)('behavior: an amount that is %s', async (_, amount, status) => {
    const answer = await send('createOrder', { body: JSON.stringify({ mode: 'SALE', amount, fiat_unit: 'usd' }) })
    if (status === 201) expectSuccess('createOrder', answer)
    else expectRefusal(answer, status)
  })

  const good = '"mode":"SALE","amount":"1","fiat_unit":"usd"'
  const bytes = (...numbers: number[]) => new Uint8Array(numbers)
  const texts: [string, string | Uint8Array<ArrayBuffer>, number][] = [
    ['nothing', '', 400],
    ['null', 'null', 400],
    ['a list', '[]', 400],
    ['text', '"SALE"', 400],
    ['a number', '1', 400],
    ['cut off', `{${good}`, 400],
    ['trailing garbage', `{${good}} {}`, 400],
    ['a trailing comma', `{${good},}`, 400],
    ['a comment', `{${good}/* */}`, 400],
    ['single quotes', `{'mode':'SALE'}`, 400],
    ['NaN', `{${good},"metadata":{"refund":{"refund_amount":NaN}}}`, 400],
    ['a number beyond doubles', `{${good},"metadata":{"refund":{"refund_amount":1e999}}}`, 400],
    ['a raw newline in text', `{${good},"metadata":{"reference":"a\nb"}}`, 400],
    ['an escaped NUL', `{${good},"metadata":{"reference":"\\u0000"}}`, 400],
    ['an escaped lone surrogate', `{${good},"metadata":{"reference":"\\ud83d"}}`, 400],
    ['bytes that are no UTF-8', bytes(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d), 400],
    ['an overlong encoding', bytes(0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d), 400],
    ['UTF-16', new Uint8Array(Buffer.from(`{${good}}`, 'utf16le')), 400],
    ['60,000 lists in each other', '['.repeat(60_000), 400],
    ['30,000 closed lists in each other', `{${good},"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 400],
    ['a byte order mark', `\ufeff{${good}}`, 201],
    ['white space around', `\r\n\t {${good}} \n`, 201],
    ['duplicate members: the last counts', `{"mode":"DEPOSIT",${good}}`, 201],
    ['duplicate members: the last counts, for worse', `{${good},"mode":"LATER"}`, 400],
    ['a prototype', `{${good},"__proto__":{"amount":"5"}}`, 400],
    ['a prototype of metadata, which is no member', `{${good},"metadata":{"__proto__":"x"}}`, 201],
    ['a prototype in place of members', `{"__proto__":{${good}}}`, 400],
    ['members nobody knows', `{${good},"id":"ord_mine","status":"COMPLETED","organization_id":"x","constructor":1}`, 400],
    ['escapes', `{"mode":"\\u0053ALE","amount":"1","fiat_unit":"usd","metadata":{"reference":"\\ud83d\\ude00"}}`, 201],
  ]
  test.each(texts)('behavior: JSON that is %s', async (_, body, status) => {
    const answer = await send('createOrder', { body })
    if (status === 201) expectSuccess('createOrder', answer)
    else expectRefusal(answer, status)
    if (status === 201)
      expect(answer.json()).toMatchObject({
        status: 'PENDING',
        mode: 'SALE',
        organization_id: merchant.organization.id,
        fulfillment: { amount: { ui: '1' } },
      })
  })

  test('behavior: a merchant’s texts are returned unchanged', async () => {
    const reference = `'; drop table orders; -- <b>"\\ 👩‍👩‍👧‍👦 ‮é`
    const items = [{ name: '${7*7} {{7*7}}', description: 'a\nb\tc', quantity: 1, unit_price: 0.1 }]
    const made = await client.ask('createOrder', { body: { mode: 'SALE', amount: '1', fiat_unit: 'usd', metadata: { reference, items } } })
    expect((await client.ask('getOrder', { params: { order_id: made.id } })).metadata).toEqual({ reference, items })
  })

  test.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
  ])('behavior: content type %j is 415', async (type) => {
    for (const name of withBody) expectRefusal(await send(name, { body: new Uint8Array(Buffer.from('{}')), type }), 415)
  })

  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset="utf-8"'])(
    'behavior: content type %j is JSON',
    async (type) => {
      expectSuccess('createOrder', await send('createOrder', { body: `{${good}}`, type }))
    },
  )

  test('behavior: 64 KiB and not a byte more, whether announced or not', async () => {
    const sized = (size: number) => `{${good}}`.padEnd(size)
    expect(sized(65_536)).toHaveLength(65_536)
    expectSuccess('createOrder', await send('createOrder', { body: sized(65_536) }))
    for (const name of withBody) expectRefusal(await send(name, { body: sized(65_537) }), 413)
    const { path, headers } = prepare('createOrder')
    expect(await chunked(path, { ...headers, 'content-type': 'application/json' }, sized(65_537))).toMatchObject({ status: 413 })
    expect(await chunked(path, { ...headers, 'content-type': 'application/json' }, sized(65_536))).toMatchObject({ status: 201 })
    // A body without an end is refused or cut off, so the service never reads all of it.
    const endless = await chunked(path, { ...headers, 'content-type': 'application/json' }, ' '.repeat(20_000_000)).catch(
      (error: Error) => error.message,
    )
    expect(typeof endless === 'string' ? endless : endless.status).toSatisfy(
      (outcome) => outcome === 413 || /EPIPE|ECONNRESET/.test(String(outcome)),
    )
  })
})

/** Sends the body without a content-length. The answer may come before it is complete. */
const chunked = (path: string, headers: Record<string, string>, body: string) =>
  new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const target = new URL(client.baseUrl + path)
    const request = httpRequest(
      target,
      { method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' }, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }))
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    for (let at = 0; at < body.length; at += 16_384) request.write(body.slice(at, at + 16_384))
    request.end()
  })

describe('queries', () => {
  const pages: [string, string, number][] = [
    ['limit=1&offset=0', '', 200],
    ['limit=100&offset=100000', '', 200],
    ['unknown=1', '', 200],
    ['status=PENDING', '', 200],
    ...[
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=1e1',
      'limit=+5',
      'limit=%205',
      'limit=5.0',
      'limit=',
      'limit=0x5',
      'limit=%D9%A5',
      'limit=99999999999999999999',
      'limit=5%00',
      'limit[]=5&limit=x',
      'limit=1&limit=1',
      'offset=-1',
      'offset=100001',
      'offset=1.5',
      'offset=abc',
      "offset=1'%20or%201=1",
      'offset=1&offset=2',
      'status=pending',
      'status=',
      'status=PENDING&status=EXPIRED',
      'status=%00',
    ].map((query): [string, string, number] => [query, '', 400]),
  ]
  test.each(pages)('behavior: GET /orders?%s', async (query, _, status) => {
    const answer = await send('listOrders', { query: `?${query}` })
    if (status === 200) expectSuccess('listOrders', answer)
    else expectRefusal(answer, status)
  })

  const searches: [string, number, number | undefined][] = [
    ['', 200, 0],
    ['q=', 200, 0],
    ['q=u', 200, 0],
    ['q=%20u%20', 200, 0],
    ['q=usdc', 200, 2],
    ['q=USDC&chain_ids=8453', 200, 1],
    ['q=usdc&chain_ids=30000000000001', 200, 0],
    ['q=usd&limit=1', 200, 1],
    ["q='%20or%201=1", 200, 0],
    ['q=%F0%9F%98%80%F0%9F%98%80', 200, 0],
    ['q=..*%5B', 200, 0],
    ['q=%00%00', 400, undefined],
    ['q=usdc&q=usdt', 400, undefined],
    [`q=${'x'.repeat(201)}`, 400, undefined],
    ['q=usdc&chain_ids=', 400, undefined],
    ['q=usdc&chain_ids=1,,2', 400, undefined],
    ['q=usdc&chain_ids=-1', 400, undefined],
    ['q=usdc&chain_ids=1e3', 400, undefined],
    ['q=usdc&limit=51', 400, undefined],
    ['q=usdc&limit=0', 400, undefined],
  ]
  test.each(searches)('behavior: GET /search/currencies?%s', async (query, status, count) => {
    const answer = await send('searchCurrencies', { query: `?${query}` })
    if (status !== 200) return void expectRefusal(answer, status)
    expectSuccess('searchCurrencies', answer)
    expect((answer.json() as { currencies: unknown[] }).currencies).toHaveLength(count!)
  })
})

describe('addresses', () => {
  const ids = [
    'x',
    'ord_doesnotexist',
    '%00',
    '%',
    '%ff',
    '%F0%9F%92%A9',
    '..%2f..%2fetc',
    "'%3B--",
    '1%20or%201=1',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(4_000),
    '-1',
    '__proto__',
    'constructor',
    'null',
    'undefined',
    '%E2%80%AEabc',
  ]
  const withParams = names.filter((name) => (endpoints[name] as Endpoint).params)
  test.each(withParams)('behavior: %s of a missing object is 404', async (name) => {
    const [param] = /:(\w+)/.exec(endpoints[name].path)?.slice(1) ?? []
    for (const id of ids) {
      const body = examples[name]?.body
      expectRefusal(await send(name, { params: { [param!]: id }, body: body === undefined ? undefined : JSON.stringify(body) }), 404)
    }
  })

  test.each(withParams.filter((name) => endpoints[name].auth !== 'PUBLIC'))(
    'behavior: %s of another organisation is 404 and changes nothing',
    async (name) => {
      const foreign = createClient(client.baseUrl, other.keys)
      const key = { ...fromNewAddress(), 'idempotency-key': 'foreign' }
      const { message } = await foreign.refused(name, 404, { ...examples[name], headers: { ...key } })
      expect(message).toMatch(/no such/)
      await client.ask('getOrder', examples.getOrder)
      await client.ask('getWebhook', examples.getWebhook)
    },
  )

  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'REPORT']
  const byPath = [...new Set(names.map((name) => endpoints[name].path))]
  test.each(byPath)('behavior: %s with another method is 405 and names the allowed ones', async (path) => {
    const allowed: string[] = names.filter((name) => endpoints[name].path === path).map((name) => endpoints[name].method)
    // GET /invoices/drafts matches the path of an invoice, with `drafts` as its id.
    const asId: string[] = names
      .filter((name) => new RegExp(`^${endpoints[name].path.replace(/:\w+/g, '[^/]+')}$`).test(path))
      .map((name) => endpoints[name].method)
    for (const method of methods.filter((candidate) => !allowed.includes(candidate) && !asId.includes(candidate))) {
      const answer = await client.raw(method, path.replace(/:\w+/g, 'x'), {
        headers: { ...fromNewAddress(), 'x-api-key': merchant.keys.apiKey },
      })
      expectRefusal(answer, 405)
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort())
    }
  })

  test('behavior: the published v2 path accepts GET with the same key and nothing else', async () => {
    const v2 = createClient(client.baseUrl.replace('/v3', '/v2'), merchant.keys)
    const path = paymentMethodsV2.path.replace(':payorder_id', examples.getOrder!.params!.order_id!)
    const headers = { 'x-api-key': merchant.keys.apiKey }
    const answer = await v2.raw('GET', path, { headers: { ...headers, ...fromNewAddress() } })
    expect(answer.status).toBe(200)
    readExactly(paymentMethodsV2.answer, answer.json())
    expect(answer.json()).toEqual(await client.ask('paymentMethods', examples.paymentMethods))
    expectRefusal(await v2.raw('GET', path, { headers: fromNewAddress() }), 401)
    expectRefusal(await v2.raw('POST', path, { headers: { ...headers, ...fromNewAddress() } }), 405)
    expectRefusal(await v2.raw('GET', '/pay-orders/nope/payment-methods', { headers: { ...headers, ...fromNewAddress() } }), 404)
    expectRefusal(await v2.raw('GET', '/orders', { headers: { ...headers, ...fromNewAddress() } }), 404)
  })

  test.each([
    '/',
    '',
    '/nope',
    '/orders/',
    '/orders/x/y',
    '//orders',
    '/Orders',
    '/orders/x/payment/',
    '/orders%00',
    '/orders%2fx',
    `/${'x'.repeat(8_000)}`,
  ])('behavior: unknown path %j is 404', async (path) => {
    expectRefusal(await client.raw('GET', path, { headers: { ...fromNewAddress(), 'x-api-key': merchant.keys.apiKey } }), 404)
    expectRefusal(await client.raw('POST', path, { headers: { ...fromNewAddress(), 'x-api-key': merchant.keys.apiKey } }), 404)
  })
})

describe('headers', () => {
  /** Sends raw bytes because HTTP clients normalise requests. */
  const rawRequest = (lines: readonly string[], body = '') =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(client.baseUrl)
      const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`))
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      socket.on('end', () => resolve(text))
      socket.on('error', reject)
    })
  const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
  const bodyOf = (text: string): unknown => JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  const get = (headers: readonly string[], path = `/v3/search/currencies?q=usdc`) =>
    rawRequest([`GET ${path} HTTP/1.1`, 'Host: till', 'Connection: close', ...headers])

  test('behavior: a repeated key header counts as no key', async () => {
    const { apiKey } = merchant.keys
    expect(statusOf(await get([`X-API-KEY: ${apiKey}`]))).toBe(200)
    const cases = [
      [`X-API-KEY: ${apiKey}`, `X-API-KEY: ${apiKey}`],
      [`X-API-KEY: ${apiKey}`, 'X-API-KEY: pk_other'],
      [`X-API-KEY: ${apiKey}, ${apiKey}`],
      ['X-API-KEY:'],
      ['X-API-KEY: undefined'],
      [`X-API-KEY: ${'x'.repeat(5_000)}`],
      [`X-API-KEY: ${apiKey.toUpperCase()}`],
      [`Authorization: Bearer ${apiKey}`],
      ["X-API-KEY: ' or '1'='1"],
      ['X-API-KEY: \u00ff\u00fe'],
      ['X-API-KEY: __proto__'],
    ]
    for (const [index, headers] of cases.entries()) {
      const answer = await get([...headers, `X-Forwarded-For: 203.0.113.${index}`])
      expect([headers[0]?.slice(0, 60), statusOf(answer)]).toEqual([headers[0]?.slice(0, 60), 401])
      readExactly(ErrorResponse, bodyOf(answer))
    }
  })

  test('behavior: a repeated, empty or malformed idempotency key is 400', async () => {
    const body = '{"mode":"SALE","amount":"1","fiat_unit":"usd"}'
    const proof = Object.entries(signedHeaders(merchant.keys, 'POST', '/orders')).map(([name, value]) => `${name}: ${value}`)
    const post = (headers: readonly string[]) =>
      rawRequest(
        [
          'POST /v3/orders HTTP/1.1',
          'Host: till',
          'Connection: close',
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          ...proof,
          ...headers,
        ],
        body,
      )
    for (const headers of [
      ['Idempotency-Key: a', 'Idempotency-Key: b'],
      ['Idempotency-Key:'],
      ['Idempotency-Key: a b'],
      [`Idempotency-Key: ${'x'.repeat(256)}`],
      ['Idempotency-Key: \u00e9'],
    ]) {
      const answer = await post(headers)
      expect([headers, statusOf(answer)]).toEqual([headers, 400])
      readExactly(ErrorResponse, bodyOf(answer))
    }
    expect(statusOf(await post([`Idempotency-Key: ${'x'.repeat(255)}`]))).toBe(201)
  })

  test('error: malformed HTTP is answered in the same shape', async () => {
    const cases: [readonly string[], number][] = [
      [['GET /v3/orders HTTP/1.1', 'Host: till', 'no colon here'], 400],
      [['NONSENSE'], 400],
      [['POST /v3/orders HTTP/1.1', 'Host: till', 'Content-Length: 5', 'Content-Length: 6'], 400],
      [['POST /v3/orders HTTP/1.1', 'Host: till', 'Content-Length: -1'], 400],
      [['POST /v3/orders HTTP/1.1', 'Host: till', 'Content-Length: 5', 'Transfer-Encoding: chunked'], 400],
      [['GET /v3/orders HTTP/1.1', 'Host: till', `X-Long: ${'x'.repeat(20_000)}`], 431],
      [['GET /v3/orders HTTP/1.1', 'Host: ti ll/x?', 'Connection: close'], 400],
      [['GET /v3/orders HTTP/1.1', 'Connection: close'], 400],
      [['TRACE /v3/orders HTTP/1.1', 'Host: till', 'Connection: close'], 405],
    ]
    for (const [lines, status] of cases) {
      const answer = await rawRequest(lines)
      expect([lines, statusOf(answer)]).toEqual([lines, status])
      expect(readExactly(ErrorResponse, bodyOf(answer)).code).toBe(status)
    }
  })
})

describe('signatures', () => {
  const list = (headers: Record<string, string>, query = '') =>
    client.raw('GET', `/orders${query}`, { headers: { ...headers, ...fromNewAddress() } })
  const at = (offset: number) => String(Math.floor(Date.now() / 1000) + offset)

  test('default: a signature covers METHOD + path + timestamp without the query', async () => {
    const { keys } = merchant
    expectSuccess('listOrders', await list(signedHeaders(keys, 'GET', '/orders')))
    expectSuccess('listOrders', await list(signedHeaders(keys, 'GET', '/orders'), '?limit=5'))
    expectSuccess('listOrders', await list({ 'x-api-key': keys.apiKey, 'authorization-signature': signature(keys, 'GET', '/orders') }))
    for (const offset of [-295, 295]) expectSuccess('listOrders', await list(signedHeaders(keys, 'GET', '/orders', at(offset))))
  })

  test('error: every invalid signature gets the same message', async () => {
    const { keys } = merchant
    const good = signature(keys, 'GET', '/orders')
    const [hex, timestamp] = [/signature=([0-9a-f]+)/.exec(good)![1]!, /timestamp=(\d+)/.exec(good)![1]!]
    const wrong: Record<string, string>[] = [
      {},
      { authorization: keys.apiKey },
      { 'x-api-key': keys.apiKey },
      { 'authorization-signature': good },
      { authorization: 'pk_nobody', 'authorization-signature': good },
      { authorization: other.keys.apiKey, 'authorization-signature': good },
      { authorization: keys.apiKey, 'authorization-signature': signature({ ...keys, secret: other.keys.secret }, 'GET', '/orders') },
      { authorization: keys.apiKey, 'authorization-signature': signature(other.keys, 'GET', '/orders') },
      signedHeaders(keys, 'POST', '/orders'),
      signedHeaders(keys, 'get', '/orders'),
      signedHeaders(keys, 'GET', '/v3/orders'),
      signedHeaders(keys, 'GET', '/orders?limit=5'),
      signedHeaders(keys, 'GET', '/orders/'),
      signedHeaders(keys, 'GET', '/orders', at(-302)),
      signedHeaders(keys, 'GET', '/orders', at(310)),
      signedHeaders(keys, 'GET', '/orders', String(Date.now())),
      signedHeaders(keys, 'GET', '/orders', ''),
      signedHeaders(keys, 'GET', '/orders', 'now'),
      signedHeaders(keys, 'GET', '/orders', '-1'),
      signedHeaders(keys, 'GET', '/orders', undefined, ''),
      ...[
        '',
        'x',
        hex,
        good.toUpperCase(),
        good.replace(hex, hex.toUpperCase()),
        good.replace(hex, hex.slice(1)),
        good.replace(hex, `${hex}00`),
        good.replace(hex, 'g'.repeat(64)),
        good.replace(hex, ''),
        good.replace('APIKey', 'apikey'),
        good.replaceAll(',', ', '),
        good.replaceAll(',', ';'),
        `${good},timestamp=${timestamp}`,
        `${good} `.repeat(2),
        good.replace(timestamp, `${timestamp}.0`),
        good.replace(timestamp, `0${timestamp}`),
        good.replace(`APIKey=${keys.apiKey},`, ''),
        good.replace(`,timestamp=${timestamp}`, ''),
        `timestamp=${timestamp},signature=${hex},APIKey=${keys.apiKey}`,
        'APIKey=,signature=,timestamp=',
        'x'.repeat(8_000),
      ].map((text) => ({ authorization: keys.apiKey, 'authorization-signature': text })),
    ]
    const messages = new Set<string>()
    for (const headers of wrong) {
      const answer = await list(headers)
      expect([JSON.stringify(headers).slice(0, 200), answer.status]).toEqual([JSON.stringify(headers).slice(0, 200), 401])
      messages.add(answer.text)
    }
    expect(messages.size).toBe(1)
  })

  test('behavior: every signed operation refuses the key alone and a signature of another operation', async () => {
    for (const name of names.filter((candidate) => endpoints[candidate].auth === 'SIGNED')) {
      const body = examples[name]?.body === undefined ? {} : { body: JSON.stringify(examples[name].body) }
      expectRefusal(await send(name, { ...body, signed: false }), 401)
      expectRefusal(await send(name, { ...body, headers: signedHeaders(merchant.keys, 'GET', '/ws') }), 401)
    }
  })

  test('behavior: a SALE needs a signature, a DEPOSIT only the key', async () => {
    const sale = JSON.stringify({ mode: 'SALE', amount: '1', fiat_unit: 'usd' })
    expectRefusal(await send('createOrder', { body: sale, signed: false }), 401)
    const { recipient, currency } = examples.createOrder!.body as { recipient: string; currency: unknown }
    expectSuccess(
      'createOrder',
      await send('createOrder', { body: JSON.stringify({ mode: 'DEPOSIT', amount: '1', currency, recipient }), signed: false }),
    )
    for (const missing of ['currency', 'recipient']) {
      expectRefusal(
        await send('createOrder', {
          body: JSON.stringify({ mode: 'DEPOSIT', amount: '1', currency, recipient, [missing]: undefined }),
          signed: false,
        }),
        400,
      )
    }
    for (const mode of ['REFUND', 'SWAP', 'FEE_CLAIM', 'sale'])
      expectRefusal(await send('createOrder', { body: JSON.stringify({ mode, amount: '1', fiat_unit: 'usd' }) }), 400)
  })
})

describe('browsers', () => {
  const isOpen = ({ auth }: Endpoint) => auth === 'KEY' || auth === 'KEY-OR-SIGNED' || auth === 'PUBLIC'
  const preflight = (path: string, method: string) =>
    client.raw('OPTIONS', path.replace(/:\w+/g, 'x'), {
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'x-api-key,content-type',
        ...fromNewAddress(),
      },
    })

  test.each(names)('behavior: preflight of %s', async (name) => {
    const endpoint: Endpoint = endpoints[name]
    const answer = await preflight(endpoint.path, endpoint.method)
    const allowed = answer.headers.get('access-control-allow-methods')?.split(', ') ?? []
    expect(allowed.includes(endpoint.method)).toBe(isOpen(endpoint))
    if (!isOpen(endpoint)) return
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('access-control-allow-headers')).toBe('X-API-KEY, Content-Type, Idempotency-Key, PAYMENT-SIGNATURE')
    expect(answer.headers.get('access-control-max-age')).toBe('86400')
  })

  test.each(names.filter((name) => endpoints[name].auth !== 'PUBLIC'))(
    'behavior: a refusal of %s is readable by the allowed origins',
    async (name) => {
      const endpoint: Endpoint = endpoints[name]
      const { path } = prepare(name)
      const answer = await client.raw(endpoint.method, path, { headers: { origin: 'https://shop.example', ...fromNewAddress() } })
      expectRefusal(answer, 401)
      expect(answer.headers.get('access-control-allow-origin')).toBe(isOpen(endpoint) ? '*' : null)
      expect(answer.headers.get('access-control-expose-headers')).toBe(
        isOpen(endpoint) ? 'Date, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After' : null,
      )
    },
  )
})

describe('idempotency', () => {
  const body = (amount: string) => ({ mode: 'SALE', amount, fiat_unit: 'usd' })
  const make = (key: string, amount = '1', from = client) =>
    from.ask('createOrder', { body: body(amount), headers: { 'idempotency-key': key, ...fromNewAddress() } })

  test('behavior: the same key and body get the first answer, and another body is 409', async () => {
    const first = await make('once')
    expect(await make('once')).toEqual(first)
    await client.refused('createOrder', 409, { body: body('2'), headers: { 'idempotency-key': 'once' } })
    expect((await make('once', '1', other)).id).not.toBe(first.id)
    expect((await make('another')).id).not.toBe(first.id)
    const webhook = await client.ask('createWebhook', { ...examples.createWebhook, headers: { 'idempotency-key': 'once' } })
    expect(await client.ask('createWebhook', { ...examples.createWebhook, headers: { 'idempotency-key': 'once' } })).toEqual(webhook)
  })

  test('behavior: concurrent calls make one order', async () => {
    const before = (await client.ask('listOrders')).pagination.total_count
    const all = await Promise.all(Array.from({ length: 25 }, () => make('together', '7')))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect((await client.ask('listOrders')).pagination.total_count).toBe(before + 1)
  })

  test('behavior: a refusal is not stored under the key', async () => {
    await client.refused('createOrder', 422, { body: body('0'), headers: { 'idempotency-key': 'better' } })
    await make('better', '3')
  })

  test('behavior: concurrent calls without a key each make an order', async () => {
    const all = await Promise.all(
      Array.from({ length: 100 }, () => client.ask('createOrder', { body: body('1'), headers: fromNewAddress() })),
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(100)
  })
})
