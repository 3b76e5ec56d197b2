import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { announcements } from '../../embed/command/announced.ts'
import { forward, idOf, readReceiver } from '../../embed/command/forward.ts'
import { printable } from '../../embed/command/printable.ts'
import { type OrderEvent, readFrame } from '../../embed/command/read-event.ts'
import { checkWebhook, verifyWebhook } from '../../embed/server.ts'
import { keys, till } from './run-till.ts'

describe('trigger', () => {
  const list = {
    scenarios: [
      { name: 'late', sentence: 'It is late.', parameter: { example: 'late:+2m' } },
      { name: 'steal', sentence: 'It is stolen.' },
    ],
  }
  const playing = (played: () => Response) => ({
    answer: (_: string, init?: RequestInit) => (init?.method === 'POST' ? played() : Response.json(list)),
  })

  test('default: lists scenarios, with an example of those that take a parameter', async () => {
    expect(
      (
        await till(
          'trigger',
          playing(() => Response.error()),
        )
      ).said,
    ).toBe('late   It is late. Also late:+2m.\nsteal  It is stolen.')
  })

  test('default: prints each step, and the end decides about the exit code', async () => {
    const lines = (...events: object[]) => new Response(events.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const begin = [
      { at: 'order', id: 'ord_1', url: 'http://localhost:4020/pay/ord_1' },
      { at: 'step', text: 'The payer waits.' },
    ]
    const reached = await till(
      'trigger late:+2m',
      playing(() => lines(...begin, { at: 'reached', text: 'COMPLETED' })),
    )
    expect(reached).toMatchObject({
      code: 0,
      said: 'watch it at http://localhost:4020/pay/ord_1\n  The payer waits.\nreached: COMPLETED',
      asked: ['GET http://localhost:4020/test/scenarios', 'POST http://localhost:4020/test/scenarios/late%3A%2B2m'],
    })
    const failed = await till(
      'trigger late',
      playing(() => lines(...begin, { at: 'failed', text: 'Nothing more happened.' })),
    )
    expect(failed).toMatchObject({ code: 1, noted: 'not reached: Nothing more happened.' })
    for (const broken of [() => lines(...begin), () => new Response('{"at":"st')])
      expect(await till('trigger late', playing(broken))).toMatchObject({ code: 1, noted: 'not reached: the service stopped responding.' })
  })
})

const event: OrderEvent = {
  event: 'ORDER_COMPLETED',
  deliveredAt: '2026-11-25T10:00:00.000Z',
  orderId: 'ord_1',
  status: 'COMPLETED',
  order: {},
  body: '{"event":"ORDER_COMPLETED","delivered_at":"2026-11-25T10:00:00.000Z","order":{"id":"ord_1","status":"COMPLETED"}}',
}

describe('events', () => {
  test('default: the bytes of an event are those that the service sent', () => {
    const frame = readFrame(`{"type":"event","data":${event.body.replace('"ord_1"', '"ord_1","metadata":{"b":1.0,"1":"x"}')}}`)
    expect(frame).toMatchObject({ type: 'event', event: { orderId: 'ord_1', body: expect.stringContaining('{"b":1.0,"1":"x"}') } })
  })

  test('property: whatever a service sends is a frame or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['connected', 'subscribed', 'event', 'error', 'other']).toContain(readFrame(text).type)
      }),
    )
  })

  test('default: an event is signed as a webhook is, and has the same id each time', async () => {
    const sent: RequestInit[] = []
    const fetch = async (_: unknown, init?: RequestInit) => (sent.push(init ?? {}), new Response('thanks', { status: 200 }))
    const to = readReceiver('http://localhost:3000/hook', false)
    expect(await forward(event, to, 'secret', { fetch, signal: new AbortController().signal })).toMatch(/^200 in \d+ ms$/)
    const headers = new Headers(sent[0]?.headers)
    expect(sent[0]).toMatchObject({ method: 'POST', redirect: 'manual', body: event.body })
    expect(headers.get('till-webhook-id')).toBe(idOf(event))
    expect(await verifyWebhook(event.body, headers.get('till-webhook-signature'), 'secret')).toMatchObject({ event: 'ORDER_COMPLETED' })
    expect(await checkWebhook(event.body, headers.get('till-webhook-signature'), 'another')).toMatchObject({ ok: false })
    expect(idOf({ ...event, deliveredAt: '2026-11-25T10:00:00.001Z' })).not.toBe(idOf(event))
  })

  test('error: the answer of a receiver that fails, sends elsewhere or does not answer is shown', async () => {
    const signal = new AbortController().signal
    const to = readReceiver('http://localhost:3000/hook', false)
    for (const status of [302, 500])
      expect(await forward(event, to, 's', { signal, fetch: async () => new Response(null, { status }) })).toMatch(
        new RegExp(`^${status} in .* counts as a failure$`),
      )
    const refuse = async () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:3000') })
    }
    expect(await forward(event, to, 's', { signal, fetch: refuse })).toBe('failed: connect ECONNREFUSED 127.0.0.1:3000')
  })

  test('behavior: other machines get events only if that is said', () => {
    expect(readReceiver('https://shop.example/hook', true).hostname).toBe('shop.example')
    for (const local of ['http://localhost:1/', 'https://127.8.0.1/', 'http://[::1]:3000/'])
      expect(readReceiver(local, false).href).toBe(new URL(local).href)
  })

  test('behavior: progress is left out, as webhooks do not deliver it, and other orders do not matter', () => {
    const isAnnounced = announcements()
    const at = (status: string, name = 'ORDER_CONFIRMING', orderId = 'ord_1') => isAnnounced({ ...event, event: name, status, orderId })
    expect([at('AWAITING_CONFIRMATION'), at('AWAITING_CONFIRMATION'), at('AWAITING_CONFIRMATION', 'ORDER_CONFIRMING', 'ord_2')]).toEqual([
      true,
      false,
      true,
    ])
    expect([at('OPTIMISTIC_CONFIRMED'), at('EXECUTING_ORDER', 'ORDER_EXECUTING'), at('COMPLETED', 'ORDER_COMPLETED')]).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('what is printed', () => {
  test('default: texts of payers and merchants command no terminal', async () => {
    const answer = () =>
      Response.json({ data: [{ id: 'ord_1', status: '\u001b[2J\u202eDELPMOC', created_at: '2026-11-25T10:00:00Z', price: null }] })
    const { said } = await till('orders', { env: keys, answer })
    expect(said).toContain('\\u001b[2J\\u202eDELPMOC')
  })

  test('property: no character of a line controls anything', () => {
    const character = fc
      .oneof(fc.integer({ min: 0, max: 0x2fff }), fc.integer({ min: 0, max: 0x10ffff }))
      .map((code) => String.fromCodePoint(code))
    const line = fc.array(character).map((characters) => characters.join(''))
    fc.assert(fc.property(line, (text) => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(printable(text))))
    expect(printable('42,50 € → 支付 …')).toBe('42,50 € → 支付 …')
  })
})
