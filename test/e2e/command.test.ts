import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Terminal } from '../../embed/command/command.ts'
import { run } from '../../embed/command/run.ts'
import { createTill, verifyWebhook } from '../../embed/server.ts'
import { localKeys } from '../../local/seed.ts'
import { root } from '../support/root.ts'
import { startService, type Service, unhurried } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** The command with a real service in local mode. */

interface Received {
  readonly path: string
  readonly id: string
  readonly signature: string
  readonly body: string
}

let service: Service
let receiver: Server
let receiverUrl: string
const received: Received[] = []

beforeAll(async () => {
  service = await startService({ env: unhurried })
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { 'till-webhook-id': id, 'till-webhook-signature': signature } = request.headers
    received.push({ path: request.url ?? '', id: String(id), signature: String(signature), body: Buffer.concat(chunks).toString() })
    response.writeHead(request.url === '/broken' ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})
afterAll(async () => {
  receiver?.close()
  receiver?.closeAllConnections()
  await service?.close()
})

async function till(...args: string[]) {
  const said: string[] = []
  const noted: string[] = []
  const terminal: Terminal = {
    env: { TILL_URL: service.payUrl },
    say: (line) => void said.push(line),
    note: (line) => void noted.push(line),
    signal: new AbortController().signal,
    fetch,
  }
  return { code: await run(args, terminal), said, noted: noted.join('\n') }
}

/** Starts the program itself, which goes on until it is interrupted. */
function start(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'embed/command/main.ts'), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, TILL_URL: service.payUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  const noted: string[] = []
  createInterface(child.stdout).on('line', (line) => said.push(line))
  createInterface(child.stderr).on('line', (line) => noted.push(line))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const interrupt = async () => {
    child.kill('SIGINT')
    return ended
  }
  return { said, noted, interrupt }
}

test('default: a scenario is triggered, and its order is listed and shown', async () => {
  const list = await till('trigger')
  expect(list).toMatchObject({ code: 0, said: expect.arrayContaining([expect.stringMatching(/^underpay +\S/)]) })

  const played = await till('trigger', 'underpay')
  expect(played.noted).toBe('')
  expect(played).toMatchObject({ code: 0, said: expect.arrayContaining([expect.stringContaining('reached: PARTIAL_PAYMENT')]) })
  const id = /\/pay\/(ord_[\w-]+)/.exec(played.said.join('\n'))?.[1] ?? ''

  const { said } = await till('orders', '--limit', '100')
  expect(said.filter((line) => line.includes(id))).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  PARTIAL_PAYMENT +ord_/),
  ])
  const shown = await till('orders', id)
  expect(JSON.parse(shown.said.join('\n'))).toMatchObject({ id, status: 'PARTIAL_PAYMENT', mode: 'SALE' })
})

test('default: scenarios take parameters, and end as these say', async () => {
  const endings = await Promise.all(
    ['underpay:37%', 'overpay:100%', 'late:+1s', 'reorg:2'].map(async (name) => {
      const { code, said, noted } = await till('trigger', name)
      return { name, code, noted, end: said.at(-1) }
    }),
  )
  expect(endings).toEqual([
    { name: 'underpay:37%', code: 0, noted: '', end: 'reached: PARTIAL_PAYMENT · received 15.725 USDC · remaining 26.775 USDC' },
    { name: 'overpay:100%', code: 0, noted: '', end: 'reached: COMPLETED · received 85 USDC · remaining 0 USDC · surplus 42.5 USDC' },
    { name: 'late:+1s', code: 0, noted: '', end: 'reached: COMPLETED · received 42.5 USDC · remaining 0 USDC' },
    { name: 'reorg:2', code: 0, noted: '', end: 'reached: COMPLETED · received 42.5 USDC · remaining 0 USDC' },
  ])
  // The link's page plays them too, also where somebody has typed the plus and the percent sign as they are.
  const { id } = await createTill({ ...localKeys, apiSecret: localKeys.secret, baseUrl: service.baseUrl }).createOrder({
    mode: 'SALE',
    amount: '42.50',
    fiat_unit: 'usd',
  })
  for (const name of ['late:+2m', 'underpay:37%'])
    expect(await (await fetch(`${service.payUrl}/pay/${id}?simulate=${name}`)).text()).toContain(`data-name="${name}"`)
  expect(await till('trigger', 'underpay:4%')).toMatchObject({
    code: 2,
    said: [],
    noted: 'The scenario "underpay" takes a share of what is due, from 5% to 99%, like underpay:37%, and has "4%".',
  })
})

test('error: what the service does not know or will not do is said in its words', async () => {
  const scenario = await till('trigger', 'overpai')
  expect(scenario).toMatchObject({
    code: 2,
    said: [],
    noted: expect.stringMatching(/There is no scenario "overpai"\. There are: underpay, /),
  })
  expect(await till('trigger', 'underpay', '--order', 'ord_missing')).toMatchObject({ code: 1, noted: 'There is no such order.' })
  expect(await till('orders', 'ord_missing')).toMatchObject({ code: 1, noted: expect.stringContaining('answered 404') })
})

test('default: listen forwards what a webhook gets, byte for byte, once and in order, and says what the receiver answered', async () => {
  const shop = createTill({ ...localKeys, apiSecret: localKeys.secret, baseUrl: service.baseUrl })
  const hook = (await shop.call('POST', '/webhooks', {
    url: `${receiverUrl}/webhook`,
    events: ['ORDER_CREATED', 'ORDER_COMPLETED', 'ORDER_EXECUTING'],
  })) as {
    id: string
  }
  const names = 'ORDER_CREATED,ORDER_COMPLETED,ORDER_EXECUTING'
  const [forwarding, failing, watching] = [
    start('listen', '--forward-to', `${receiverUrl}/hook`, '--events', names),
    start('listen', '--forward-to', `${receiverUrl}/broken`, '--events', 'ORDER_COMPLETED'),
    start('events', '--follow', '--json'),
  ]
  for (const { noted } of [forwarding, failing]) await until(() => noted.some((line) => line.startsWith('listening to ')))
  await until(() => watching.noted.some((line) => line.startsWith('following ')))

  expect(forwarding.noted[0]).toBe(
    "signing with the secret of the local service's own webhook. Set TILL_WEBHOOK_SECRET to the secret that your server checks with",
  )
  const played = await till('trigger', 'overpay')
  expect(played.code).toBe(0)
  const id = /\/pay\/(ord_[\w-]+)/.exec(played.said.join('\n'))?.[1] ?? ''
  const of = (path: string) => received.filter((each) => each.path === path && each.body.includes(id))
  await until(() => of('/hook').length >= 3 && of('/webhook').length >= 3 && of('/broken').length >= 1)

  expect(of('/hook').map(({ body }) => body)).toEqual(of('/webhook').map(({ body }) => body))
  for (const { body, signature } of of('/hook'))
    expect(await verifyWebhook(body, signature, localKeys.webhookSecret)).toMatchObject({ order: { id } })
  expect(new Set(of('/hook').map((each) => each.id)).size).toBe(of('/hook').length)
  expect(of('/broken').map((each) => each.id)).toEqual([of('/hook').find(({ body }) => body.includes('"ORDER_COMPLETED"'))?.id])

  await until(() => forwarding.said.filter((line) => line.includes(id)).length === of('/hook').length)
  expect(forwarding.said.find((line) => line.includes(id))).toMatch(/^\d\d:\d\d:\d\d  ORDER_CREATED +ord_\S+  → 200 in \d+ ms$/)
  await until(() => failing.said.some((line) => line.includes(id)))
  expect(failing.said.find((line) => line.includes(id))).toMatch(/→ 500 in \d+ ms, which a webhook counts as a failure$/)
  await until(() => watching.said.some((line) => line.includes('"ORDER_COMPLETED"')))
  expect(watching.said.map((line) => JSON.parse(line) as { event: string }).map(({ event }) => event)).toEqual(
    expect.arrayContaining(['ORDER_CREATED', 'ORDER_CONFIRMING', 'ORDER_COMPLETED']),
  )

  expect(await Promise.all([forwarding, failing, watching].map(({ interrupt }) => interrupt()))).toEqual([0, 0, 0])
  await shop.call('DELETE', `/webhooks/${hook.id}`)
})

test('error: a wrong secret ends the command, and does not try for ever', async () => {
  const noted: string[] = []
  const code = await run(['events', '--follow'], {
    env: { TILL_URL: service.payUrl, TILL_API_KEY: localKeys.apiKey, TILL_API_SECRET: 'sk_wrong' },
    say: () => undefined,
    note: (line) => void noted.push(line),
    signal: new AbortController().signal,
    fetch,
  })
  expect({ code, noted }).toEqual({ code: 1, noted: [expect.stringContaining('refused the key')] })
})
