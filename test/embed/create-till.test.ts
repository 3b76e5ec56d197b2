import { createHash, createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createTill, type ServerOptions, TillError } from '../../embed/server.ts'
import { endpoints } from '../../src/wire/endpoints.ts'

const now = 1_700_000_000_999
const options = { apiKey: 'pk', apiSecret: 'sk', baseUrl: 'https://pay.example/v3', clock: () => now }

type Request = RequestInit & { headers: Record<string, string> }

/** Answers each call in turn, the last answer again and again. */
function answering(...answers: readonly (() => Response)[]) {
  const calls: (Request & { url: string })[] = []
  const send = vi.fn(async (url: string, init: Request) => {
    calls.push({ url, ...init })
    return answers[Math.min(calls.length, answers.length) - 1]!()
  })
  return { calls, till: (more: Partial<ServerOptions> = {}) => createTill({ ...options, fetch: send as never, ...more }) }
}
const ok = () => Response.json({ id: 'x' })
const signed = (text: string) => `APIKey=pk,signature=${createHmac('sha256', 'sk').update(text).digest('hex')},timestamp=1700000000`
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )
const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ error: 'x', message, code: status }, { status, headers })

test('behavior: calls are signed over method, path and time, without prefix and query', async () => {
  const { calls, till } = answering(ok)
  await till({ baseUrl: 'https://pay.example/v3/' }).createOrder({ mode: 'SALE', amount: '42.50' }, { idempotencyKey: 'cart-1' })
  await till().listOrders({ limit: 5, reference: 'NW & sons', status: undefined })
  await till().call('GET', '/orders?limit=5')
  expect(calls.map(({ url }) => url)).toEqual([
    'https://pay.example/v3/orders',
    'https://pay.example/v3/orders?limit=5&reference=NW+%26+sons',
    'https://pay.example/v3/orders?limit=5',
  ])
  expect(calls[0]).toMatchObject({
    method: 'POST',
    body: '{"mode":"SALE","amount":"42.50"}',
    headers: {
      authorization: 'pk',
      'idempotency-key': 'cart-1',
      'content-type': 'application/json',
      'authorization-signature': signed('POST/orders1700000000'),
    },
  })
  for (const { headers } of calls.slice(1)) expect(headers['authorization-signature']).toBe(signed('GET/orders1700000000'))
})

test('behavior: a refund and a change of settlements are signed with their body', async () => {
  const { calls, till } = answering(ok)
  await till().refundOrder('ord_1', { amount: '1' })
  await till().putSettlements({ settlements: [{ chain_id: 8453, address: null, recipient: '0x1' }] })
  for (const [index, path] of ['POST/orders/ord_1/refund', 'PUT/organization/settlements'].entries()) {
    const digest = createHash('sha256').update(String(calls[index]!.body)).digest('hex')
    expect(calls[index]!.headers['authorization-signature']).toBe(signed(`${path}1700000000${digest}`))
  }
})

test('default: the client has every operation of the table, and sends each to its path', async () => {
  const { calls, till } = answering(ok)
  const methods: Record<string, (...given: unknown[]) => Promise<unknown>> = till() as never
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const ids = [...path.matchAll(/:\w+/g)].map((_, index) => `id${index}`)
    await methods[name]!(...ids)
    const left = [...ids]
    expect(calls.at(-1)).toMatchObject({ method, url: `https://pay.example/v3${path.replace(/:\w+/g, () => left.shift()!)}` })
  }
  expect(Object.keys(methods).sort()).toEqual([...Object.keys(endpoints), 'call'].sort())
})

test('behavior: an id is escaped, and one that is missing is named', async () => {
  const { calls, till } = answering(ok)
  await till().resendDelivery('wh/../x', 'a?b')
  expect(calls[0]!.url).toBe('https://pay.example/v3/webhooks/wh%2F..%2Fx/deliveries/a%3Fb/resend')
  expect(await errorOf(till().getOrder(undefined as never))).toMatchObject({
    code: 'usage',
    message: 'getOrder: order_id is undefined. It is the id of what the call is about.',
  })
  expect(calls).toHaveLength(1)
})

test('behavior: an answer without a body is undefined', async () => {
  const { till } = answering(() => new Response(null, { status: 204 }))
  expect(await till().deleteWebhook('wh_1')).toBeUndefined()
})

test('error: a refusal carries the sentence, the status, the details and when to retry', async () => {
  const { till } = answering(() => refusal(429, 'Slow down.', { 'retry-after': '3' }))
  const error = await errorOf(till().getOrder('ord_1'))
  expect(error).toBeInstanceOf(TillError)
  expect(error).toMatchObject({ code: 'refused', status: 429, message: 'Slow down.', retryAfter: 3 })
})

test.each([
  ['apiKey', undefined, 'createTill: apiKey is undefined. Is its environment variable set where this runs?'],
  ['apiSecret', undefined, 'createTill: apiSecret is undefined. Is its environment variable set where this runs?'],
  ['apiSecret', '', 'createTill: apiSecret is empty. Is its environment variable set where this runs?'],
  ['apiSecret', 'sk\n', 'createTill: apiSecret begins or ends with white space, which no key does.'],
  ['baseUrl', undefined, 'createTill: baseUrl is undefined. Is its environment variable set where this runs?'],
  ['baseUrl', 'pay.example/v3', 'createTill: baseUrl is not a URL like https://pay.example/v3: pay.example/v3'],
  ['baseUrl', 'ftp://pay.example', 'createTill: baseUrl is not a URL like https://pay.example/v3: ftp://pay.example'],
])('error: %s = %j is named when the client is made, before any call', (name, value, message) => {
  expect(() => createTill({ ...options, [name]: value } as never)).toThrow(expect.objectContaining({ code: 'usage', message }))
})

test('error: a page gets no client', () => {
  vi.stubGlobal('document', {})
  expect(() => createTill(options)).toThrow('createTill is for servers: in a page it would publish the API secret.')
  vi.unstubAllGlobals()
})

test.each([
  [604, 'ahead of'],
  [-604, 'behind'],
])('error: a clock that is %i s off is named', async (off, way) => {
  const date = new Date(now - off * 1_000).toUTCString()
  const { till } = answering(() => refusal(401, 'The signature is expired or wrong.', { date }))
  const error = (await errorOf(till().getOrder('ord_1'))) as TillError
  expect(error).toMatchObject({ code: 'clock', status: 401 })
  expect(error.message).toMatch(new RegExp(`^This machine's clock is 60[3-5] s ${way} the API's`))
})

test.each([{ date: new Date(now).toUTCString() }, { date: new Date(now - 200_000).toUTCString() }, { date: 'x' }, {}])(
  'error: with a clock that is right, or a time that is not known (%j), a wrong signature is only that',
  async (headers) => {
    const { till } = answering(() => refusal(401, 'The signature is wrong.', headers as Record<string, string>))
    expect(await errorOf(till().getOrder('ord_1'))).toMatchObject({ code: 'refused', message: 'The signature is wrong.' })
  },
)

const page = (status: number) => () => new Response('<!doctype html>', { status, headers: { 'content-type': 'text/html; charset=utf-8' } })

test.each<[string, string, () => Response, object]>([
  [
    'a page without /v3',
    'https://pay.example',
    page(404),
    { code: 'base_url', message: expect.stringMatching(/answered 404 with text\/html.*ends in \/v3: https:\/\/pay\.example\/v3\./) },
  ],
  [
    'a refusal without /v3',
    'https://pay.example/',
    () => refusal(404, 'There is nothing at this address.'),
    { code: 'refused', status: 404, message: 'There is nothing at this address. baseUrl usually ends in /v3: https://pay.example/v3.' },
  ],
  ['a page with 200', 'https://pay.example/v3', page(200), { code: 'base_url', message: expect.stringContaining('does not lead to it') }],
  [
    'a redirect to https',
    'http://pay.example/v3',
    () => new Response(null, { status: 301, headers: { location: 'https://pay.example/v3/orders' } }),
    { code: 'base_url', message: expect.stringContaining('Write https: in baseUrl.') },
  ],
  [
    'a redirect elsewhere',
    'https://pay.example/v3',
    () => new Response(null, { status: 302, headers: { location: 'https://login.example' } }),
    { code: 'base_url', message: expect.stringContaining('follows no redirect') },
  ],
  ['a page about plain http', 'http://pay.example/v3', page(400), { code: 'base_url', message: expect.stringContaining('write https:') }],
  [
    'a proxy',
    'https://pay.example/v3',
    page(502),
    { code: 'unreachable', status: 502, message: expect.stringContaining('in front of the API') },
  ],
])('error: %s is named', async (_, baseUrl, answer, expected) => {
  const { till } = answering(answer)
  expect(await errorOf(till({ baseUrl }).getOrder('ord_1'))).toMatchObject(expected)
})

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})
async function listen(): Promise<number> {
  server = createServer((_, response) => void response.end('{}'))
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test('error: what cannot be reached says why, also https where plain http answers', async () => {
  const port = await listen()
  const secure = createTill({ ...options, baseUrl: `https://127.0.0.1:${port}/v3` })
  expect(await errorOf(secure.getOrder('ord_1'))).toMatchObject({
    code: 'unreachable',
    status: 0,
    message: expect.stringContaining('write http:'),
  })
  const plain = createTill({ ...options, baseUrl: `http://127.0.0.1:${port}/v3` })
  expect(await errorOf(plain.getOrder('ord_1'))).toBeUndefined()
  await new Promise((resolve) => server!.close(resolve))
  expect(await errorOf(plain.getOrder('ord_1'))).toMatchObject({ code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') })
})

test('error: a call that its caller ends fails with the caller’s reason', async () => {
  const ended = new AbortController()
  ended.abort(new Error('enough'))
  const send = async (_: string, { signal }: RequestInit) => signal!.throwIfAborted()
  const till = createTill({ ...options, fetch: send as never })
  expect(await errorOf(till.getOrder('ord_1', { signal: ended.signal }))).toMatchObject({ message: 'enough' })
})
