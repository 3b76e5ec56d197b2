import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { announcements } from '../../embed/command/announced.ts'
import type { Terminal } from '../../embed/command/command.ts'
import { commands } from '../../embed/command/commands.ts'
import { forward, idOf, readReceiver } from '../../embed/command/forward.ts'
import { printable } from '../../embed/command/printable.ts'
import { type OrderEvent, readFrame } from '../../embed/command/read-event.ts'
import { run } from '../../embed/command/run.ts'
import { verifyWebhook } from '../../embed/server.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Runs a command line against answers that the test gives, and returns what it printed. */
async function till(line: string, { env = {}, answer }: { env?: Env; answer?: (url: string, init?: RequestInit) => Response } = {}) {
  const said: string[] = []
  const noted: string[] = []
  const asked: string[] = []
  const terminal: Terminal = {
    env,
    say: (text) => void said.push(text),
    note: (text) => void noted.push(text),
    signal: new AbortController().signal,
    fetch: async (input, init) => {
      asked.push(`${init?.method ?? 'GET'} ${String(input)}`)
      if (answer) return answer(String(input), init)
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:4020') })
    },
  }
  const code = await run(line.split(' ').filter(Boolean), terminal)
  return { code, said: said.join('\n'), noted: noted.join('\n'), asked }
}

const keys = { TILL_API_KEY: 'pk_1', TILL_API_SECRET: 'sk_1' }

describe('help', () => {
  test.each(['', '--help', '-h', 'help'])('default: "till %s" lists every command, with an example of each', async (line) => {
    const { code, said } = await till(line)
    expect(code).toBe(0)
    for (const { name, sentence, examples } of commands) for (const text of [name, sentence, examples[0]![0]]) expect(said).toContain(text)
    for (const name of ['TILL_URL', 'TILL_API_KEY', 'TILL_API_SECRET']) expect(said).toContain(name)
  })

  test.each(commands)('default: "till $name --help" explains each option and gives examples', async ({ name, options, examples }) => {
    const [asked, instead] = await Promise.all([till(`${name} --bad --help`), till(`help ${name}`)])
    expect(asked).toEqual(instead)
    expect(asked.code).toBe(0)
    for (const option of options) expect(asked.said).toContain(`--${option.name}`)
    expect(examples.length).toBeGreaterThan(1)
    for (const [line] of examples) expect(asked.said).toContain(line)
    expect(asked.asked).toEqual([])
  })

  test('behavior: every example is a line that its command understands', async () => {
    for (const { examples } of commands)
      for (const [line] of examples) {
        const { code, noted } = await till(line.replace(/^till |\| .*/g, ''))
        // Nothing answers here, so none of them gets further.
        expect({ line, code, noted }).toEqual({ line, code: 1, noted: expect.stringContaining('Nothing answers at http://localhost:4020') })
      }
  })
})

describe('wrong arguments', () => {
  test.each([
    ['lsiten', 'There is no command "lsiten". There are listen, trigger, orders, events'],
    ['help lsiten', 'There is no command "lsiten"'],
    ['listen', 'needs --forward-to: where your server takes webhooks, like http://localhost:3000/hook'],
    ['listen --forward-to', '--forward-to needs <url> behind it'],
    ['listen --forward-to --allow-remote', '--forward-to needs <url> behind it'],
    [
      'listen --forward-to localhost:3000',
      '--forward-to must be where your server takes webhooks, like http://localhost:3000/hook, and is "localhost:3000"',
    ],
    ['listen --forward-to http://user:pw@localhost/', '--forward-to must be where'],
    [
      'listen --forward-to https://shop.example/hook',
      '--forward-to leads to shop.example, and only localhost, 127.x.x.x and [::1] are expected',
    ],
    ['listen --forward-to http://localhost.example/', 'leads to localhost.example'],
    ['listen --forward-to http://127.0.0.1.example/', 'leads to 127.0.0.1.example'],
    [
      'listen --forward-to http://localhost/ --events ORDER_PAID',
      '--events has "ORDER_PAID", which is no event. There are ORDER_CREATED, ',
    ],
    ['listen --forward http://localhost/', '--forward is not an option of "till listen", which takes --forward-to <url>, '],
    ['listen --forward-to http://localhost/ more', '"more" is one too many: "till listen" takes only options'],
    ['listen --forward-to http://localhost/ --allow-remote=yes', '--allow-remote takes no value, and has "yes"'],
    ['orders --limit 0', '--limit must be a whole number from 1 to 100, and is "0"'],
    ['orders --limit 1e1', '--limit must be a whole number from 1 to 100, and is "1e1"'],
    ['orders --limit=-5', '--limit must be a whole number from 1 to 100, and is "-5"'],
    ['orders --limit 1 --limit 2', '--limit is given twice'],
    ['orders ord_1 ord_2', '"ord_2" is one too many: "till orders" takes one at a time, and has "ord_1"'],
    ['orders ../keys', '"../keys" is not an order id'],
    [
      'orders --url ftp://pay.example',
      '--url must be the address of a service, like http://localhost:4020 or https://pay.example, and is "ftp://pay.example"',
    ],
    ['orders --secret sk_1', '--secret is not an option'],
    ['events', 'needs --follow'],
    ['events --follow -x', '-x is not an option of "till events"'],
    ['trigger late --look 61', '--look must be a whole number from 0 to 60, and is "61"'],
    ['trigger late --chain bitcoin', '--chain must be a whole number from 1 to'],
    ['trigger late --order ?', '--order must be an order id, like ord_Xk2f9, and is "?"'],
  ])('error: "till %s" exits with 2, asks nobody, and says what was expected', async (line, expected) => {
    const { code, said, noted, asked } = await till(line, { env: keys })
    expect({ code, said, asked }).toEqual({ code: 2, said: '', asked: [] })
    expect(noted).toContain(expected)
  })

  test('error: a key without its secret, or none at a service that hands out none', async () => {
    expect(await till('orders', { env: { TILL_API_KEY: 'pk_1' } })).toMatchObject({
      code: 2,
      noted: expect.stringContaining('TILL_API_SECRET is missing'),
    })
    expect(await till('orders', { env: { TILL_API_SECRET: 'sk_1' } })).toMatchObject({
      code: 2,
      noted: expect.stringContaining('TILL_API_KEY is missing'),
    })
    const remote = await till('orders --url https://pay.example')
    expect(remote).toMatchObject({
      code: 2,
      asked: [],
      noted: expect.stringContaining('https://pay.example is not a service in local mode'),
    })
    const live = await till('orders', { answer: () => new Response('', { status: 404 }) })
    expect(live).toMatchObject({ code: 2, asked: ['GET http://localhost:4020/test/fixtures'] })
  })
})

describe('a service', () => {
  const list = {
    data: [{ id: 'ord_1', status: 'COMPLETED', created_at: '2026-11-25T10:00:00.000Z', price: { amount: '42.50', unit: 'usd' } }],
  }

  test('default: a local one hands out its keys, and TILL_URL names another, with or without /v3', async () => {
    const fixtures = { organization: { api_key: 'pk_local', api_secret: 'sk_local' } }
    const answer = (url: string) => Response.json(url.endsWith('/test/fixtures') ? fixtures : list)
    const local = await till('orders --limit 5', { answer })
    expect(local).toMatchObject({
      code: 0,
      said: '2026-11-25 10:00:00  COMPLETED              ord_1  42.50 USD',
      asked: ['GET http://localhost:4020/test/fixtures', 'GET http://localhost:4020/v3/orders?limit=5'],
    })
    for (const TILL_URL of ['https://pay.example', 'https://pay.example/v3/'])
      expect(await till('orders', { answer, env: { ...keys, TILL_URL } })).toMatchObject({
        code: 0,
        asked: ['GET https://pay.example/v3/orders'],
      })
  })

  test('error: its own message is shown, and one that does not answer is named', async () => {
    const refusing = () => Response.json({ message: 'The signature is wrong.' }, { status: 401 })
    expect(await till('orders', { env: keys, answer: refusing })).toMatchObject({
      code: 1,
      noted: expect.stringMatching(/answered 401: The signature is wrong\..*clock/),
    })
    expect(await till('orders', { env: keys })).toMatchObject({
      code: 1,
      noted: expect.stringContaining('(connect ECONNREFUSED 127.0.0.1:4020)'),
    })
  })

  test('error: one that plays no scenarios is asked for none', async () => {
    const { code, noted, asked } = await till('trigger underpay --url https://pay.example', {
      answer: () => Response.json({ message: 'Not Found' }, { status: 404 }),
    })
    expect({ code, asked }).toEqual({ code: 1, asked: ['GET https://pay.example/test/scenarios'] })
    expect(noted).toContain('only a service in local mode does')
  })
})

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
    expect(await verifyWebhook(event.body, headers.get('till-webhook-signature'), 'another')).toBeNull()
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

  test('behavior: progress is left out, as webhooks are not told of it, and other orders do not matter', () => {
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
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(printable(text))))
    expect(printable('42,50 € → 支付 …')).toBe('42,50 € → 支付 …')
  })
})
