import { describe, expect, test } from 'vitest'
import { commands } from '../../embed/command/commands.ts'
import { keys, till } from './run-till.ts'

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
