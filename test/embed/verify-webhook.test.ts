import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkWebhook, verifyWebhook, WebhookError, type WebhookProblem } from '../../embed/server.ts'

const secret = 'whsec_test_till'
const at = '2026-05-12T14:06:30Z'
const body = JSON.stringify({ event: 'ORDER_COMPLETED', delivered_at: at, order: { id: 'ord_1', metadata: { reference: 'Zoë’s' } } })
const sign = (text: string, by = secret) => createHmac('sha256', by).update(text).digest('base64')
const clock = () => Date.parse(at) + 90_000

test('default: a signed webhook is an event, whatever form its bytes have', async () => {
  const bytes = Buffer.from(body)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  for (const raw of [body, bytes, new Uint8Array(bytes), buffer])
    expect(await checkWebhook(raw, sign(body), secret)).toMatchObject({
      ok: true,
      event: { event: 'ORDER_COMPLETED', order: { id: 'ord_1' } },
    })
  expect((await verifyWebhook(body, sign(body), secret)).order.id).toBe('ord_1')
})

test('behavior: one of several signatures is enough, in one header or, as Node passes it, in several', async () => {
  for (const header of [`${sign(body, 'old')},${sign(body)}`, `${sign(body, 'old')}, ${sign(body)}`, [sign(body, 'old'), sign(body)]])
    expect((await checkWebhook(body, header, secret)).ok).toBe(true)
})

type Given = Parameters<typeof checkWebhook>
const other = body.replace('ord_1', 'ord_2')
const cases: readonly [what: string, code: WebhookProblem, given: [unknown, unknown, unknown], message: RegExp][] = [
  ['a parsed body', 'raw_body', [JSON.parse(body), sign(body), secret], /raw body.*parsed.*express\.raw/],
  ['no body', 'raw_body', [undefined, sign(body), secret], /undefined/],
  ['an empty body', 'raw_body', ['', sign(''), secret], /empty/],
  ['no secret', 'secret', [body, sign(body), undefined], /secret.*missing/],
  ['an empty secret', 'secret', [body, sign(body), ''], /secret.*missing/],
  ['no header', 'no_signature', [body, undefined, secret], /Till-Webhook-Signature/],
  ['null as header', 'no_signature', [body, null, secret], /Till-Webhook-Signature/],
  ['an empty header', 'no_signature', [body, '', secret], /Till-Webhook-Signature/],
  ['an empty list', 'no_signature', [body, [], secret], /Till-Webhook-Signature/],
  ['no base64', 'wrong_signature', [body, '*', secret], /does not fit/],
  ['a part of a signature', 'wrong_signature', [body, sign(body).slice(0, -4), secret], /does not fit/],
  ['the signature of another body', 'wrong_signature', [body, sign(other), secret], /does not fit/],
  ['the signature of another secret', 'wrong_signature', [body, sign(body, 'other'), secret], /another webhook/],
  ['commas', 'wrong_signature', [body, `,${sign(other)},`, secret], /does not fit/],
  ['signed text that is no JSON', 'malformed', ['x', sign('x'), secret], /no event/],
  ['signed JSON that is no event', 'malformed', ['{"order":{}}', sign('{"order":{}}'), secret], /no event/],
]

test.each(cases)('error: %s is refused as %s', async (_, code, given, message) => {
  const checked = await checkWebhook(...(given as Given))
  expect(checked).toMatchObject({ ok: false, error: { name: 'WebhookError', code, message: expect.stringMatching(message) } })
  const thrown: unknown = await verifyWebhook(...(given as Given)).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(WebhookError)
  expect(thrown).toMatchObject({ code })
})

test('behavior: an event is too old only where an age was asked for', async () => {
  expect((await checkWebhook(body, sign(body), secret, { clock })).ok).toBe(true)
  expect((await checkWebhook(body, sign(body), secret, { clock, maxAgeSeconds: 90 })).ok).toBe(true)
  expect(await checkWebhook(body, sign(body), secret, { clock, maxAgeSeconds: 60 })).toMatchObject({
    error: { code: 'too_old', message: 'The event is 90 s old, and at most 60 s are allowed here.' },
  })
  const timeless = body.replace(at, 'yesterday')
  expect(await checkWebhook(timeless, sign(timeless), secret, { clock, maxAgeSeconds: 60 })).toMatchObject({ error: { code: 'too_old' } })
})

test('behavior: the reason is never given for an event that somebody else has signed', async () => {
  const old = await checkWebhook(body, sign(body, 'other'), secret, { clock, maxAgeSeconds: 60 })
  expect(old).toMatchObject({ error: { code: 'wrong_signature' } })
})
