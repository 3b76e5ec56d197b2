import { createHmac } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createTill, TillError, verifyWebhook } from '../../embed/server.ts'

const secret = 'whsec_test_till'
const body = JSON.stringify({
  event: 'ORDER_COMPLETED',
  delivered_at: '2026-05-12T14:06:30Z',
  order: { id: 'ord_1', metadata: { reference: 'Zoë’s' } },
})
const sign = (text: string, by = secret) => createHmac('sha256', by).update(text).digest('base64')

test('default: a signed webhook is parsed into an event', async () => {
  expect((await verifyWebhook(body, sign(body), secret))?.order.id).toBe('ord_1')
  expect((await verifyWebhook(Buffer.from(body), sign(body), secret))?.event).toBe('ORDER_COMPLETED')
  expect(await verifyWebhook(body, `${sign(body, 'old')},${sign(body)}`, secret)).not.toBeNull()
})

test('behavior: a repeated header, as Node passes it, is accepted', async () => {
  expect(await verifyWebhook(body, [sign(body, 'old'), sign(body)], secret)).not.toBeNull()
  expect(await verifyWebhook(body, [], secret)).toBeNull()
})

test('error: anything else is null', async () => {
  const other = body.replace('ord_1', 'ord_2')
  for (const header of [null, undefined, '', 'x', '*', sign(body).slice(0, -4), sign(other), sign(body, 'other'), `,${sign(other)},`])
    expect(await verifyWebhook(body, header, secret)).toBeNull()
})

test('behavior: calls are signed over method, path and time, without prefix and query', async () => {
  const send = vi.fn(async () => Response.json({ id: 'ord_1' }))
  const till = createTill({
    apiKey: 'pk',
    apiSecret: 'sk',
    baseUrl: 'https://pay.example/v3/',
    fetch: send as never,
    clock: () => 1_700_000_000_999,
  })
  await till.createOrder({ mode: 'SALE', amount: '42.50' }, { idempotencyKey: 'cart-1' })
  await till.call('GET', '/orders?limit=5')
  const [[url, init], [listUrl, list]] = send.mock.calls as unknown as [
    [string, RequestInit & { headers: Record<string, string> }],
    [string, RequestInit & { headers: Record<string, string> }],
  ]
  expect(url).toBe('https://pay.example/v3/orders')
  expect(init.headers).toMatchObject({ authorization: 'pk', 'idempotency-key': 'cart-1', 'content-type': 'application/json' })
  const expected = (text: string) => `APIKey=pk,signature=${createHmac('sha256', 'sk').update(text).digest('hex')},timestamp=1700000000`
  expect(init.headers['authorization-signature']).toBe(expected('POST/orders1700000000'))
  expect(listUrl).toBe('https://pay.example/v3/orders?limit=5')
  expect(list.headers['authorization-signature']).toBe(expected('GET/orders1700000000'))
})

test('error: a refusal carries the sentence, the status and when to retry', async () => {
  const answer = Response.json(
    { error: 'Too Many Requests', message: 'Slow down.', code: 429 },
    { status: 429, headers: { 'retry-after': '3' } },
  )
  const till = createTill({ apiKey: 'pk', apiSecret: 'sk', baseUrl: 'https://pay.example/v3', fetch: (async () => answer) as never })
  const error: unknown = await till.getOrder('a/b').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TillError)
  expect(error).toMatchObject({ status: 429, message: 'Slow down.', retryAfter: 3 })
})
