import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod/mini'
import { putOrganization } from '../../server/organizations/organizations.ts'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { ErrorResponse } from '../../src/wire/error.ts'
import { ClientFrame } from '../../src/wire/socket.ts'
import { createClient, type Client, type Keys, type Name, signedHeaders } from '../support/client/client.ts'
import { readExactly } from '../support/client/exact.ts'
import { full } from '../support/full.ts'
import { openSocket } from '../support/client/socket.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { examplesWith, type Examples } from '../support/client/api-examples.ts'
import { arbitraryOf } from './arbitrary.ts'
import { damaged } from './damaged.ts'

/**
 * Fuzzes every operation and every frame from their schemas: valid input, input with one replaced value, and damaged bytes. Every answer
 * must have a documented status and shape, and the service must stay healthy. TILL_FUZZ_SEED repeats a run.
 */

const seed = Number(process.env.TILL_FUZZ_SEED ?? (full ? Date.now() % 1_000_000_000 : 20_260_501))
const forMs = full ? 180_000 : 8_000

let stage: Stage
let service: Process
let merchant: Merchant
let client: Client
let internal: Keys
let examples: Examples
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  ;[service, merchant] = await Promise.all([
    stage.start({ TRUSTED_PROXIES: '127.0.0.1/32', SETTLEMENT_DELAY_SECONDS: '0' }),
    stage.merchant(),
  ])
  client = merchant.at(service)
  internal = { apiKey: `${merchant.keys.apiKey}_internal`, secret: 'sk_internal' }
  await putOrganization(stage.database.sql, merchant.organization, [
    { id: 'key_internal', ...internal, label: 'Internal', isInternal: true },
  ])
  const order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  const known = { orderId: order.id, webhookId: 'x', apiKeyId: 'x', invoiceId: 'x', challengeId: 'x', token: stage.base.token('USDC') }
  const webhook = await client.ask('createWebhook', examplesWith(known).createWebhook)
  const invoice = await client.ask('createInvoiceDraft', examplesWith(known).createInvoiceDraft)
  const { data } = await client.ask('listApiKeys')
  examples = examplesWith({ ...known, webhookId: webhook.id, invoiceId: invoice.id, apiKeyId: data[0]!.id })
})
afterAll(() => stage?.close())

let callers = 0
/** Each call comes from another address so that rate limits do not interfere. */
const fromNewAddress = () => ({ 'x-forwarded-for': `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers++ & 255}` })

interface Shot {
  readonly name: Name
  readonly params: Readonly<Record<string, string>>
  readonly query: string
  readonly body: Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
}

const names = Object.keys(endpoints) as Name[]

/** Generates existing and unknown ids. */
const idOf = (name: Name, param: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(examples[name]?.params?.[param] ?? 'x') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  )

const queryOf = (schema: z.ZodMiniType | undefined): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(''),
    schema
      ? arbitraryOf(schema).map(
          (value) => `?${new URLSearchParams(Object.entries(value as object).map(([k, v]) => [k, wellFormed(String(v))]))}`,
        )
      : fc.constant(''),
    fc.webQueryParameters().map((text) => `?${text}`),
    fc.constant(`?${'a=1&'.repeat(3_000)}`),
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `?limit=${encodeURIComponent(wellFormed(text))}`),
  )

const wellFormed = (text: string): string => text.toWellFormed()

const oddHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        'accept',
        'accept-language',
        'accept-encoding',
        'idempotency-key',
        'payment-signature',
        'content-encoding',
        'content-type',
        'cookie',
        'range',
        'x-http-method-override',
        'if-none-match',
        'origin',
      ),
      fc.oneof(
        fc.constantFrom('gzip', '*/*', '', 'application/json;charset=utf-7', 'text/html', 'null', 'bytes=0-1'),
        fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,300}$/).map((text) => text.trim()),
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 10, max: 900 })
      .map((count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '1']))),
  },
)

function shots(name: Name): fc.Arbitrary<Shot> {
  const endpoint: Endpoint = endpoints[name]
  const params = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, param]) => param!)
  return fc.record({
    name: fc.constant(name),
    params: fc.record(Object.fromEntries(params.map((param) => [param, idOf(name, param)]))),
    query: queryOf(endpoint.query),
    body: endpoint.body
      ? fc.option(damaged(arbitraryOf(endpoint.body), examples[name]?.body), { nil: undefined, freq: 20 })
      : fc.constant(undefined),
    headers: oddHeaders,
  })
}

const known = new Set([400, 401, 404, 413, 415, 429, 431])

async function fire({ name, params, query, body, headers }: Shot): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const path = endpoint.path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(wellFormed(params[param] ?? 'x')) || 'x')
  const keys = endpoint.auth === 'BODY-SIGNED' ? internal : merchant.keys
  const proof =
    endpoint.auth === 'KEY'
      ? { 'x-api-key': keys.apiKey }
      : signedHeaders(keys, endpoint.method, path, undefined, endpoint.auth === 'BODY-SIGNED' ? (body ?? '') : undefined)
  const answer = await client.raw(endpoint.method, path + query, {
    body: body as Uint8Array<ArrayBuffer> | undefined,
    headers: {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(endpoint.idempotency === 'required' ? { 'idempotency-key': `k${callers}` } : {}),
      ...headers,
      ...proof,
      ...fromNewAddress(),
    },
  })
  if (answer.status === endpoint.status || answer.status === endpoint.alternativeStatus) {
    if (endpoint.answer) readExactly(endpoint.answer, answer.json())
    return
  }
  // The client normalises `.` and `..` segments, so such a path is another path when it is sent.
  const isAnother = new URL(client.baseUrl + path).pathname !== `/v3${path}`
  expect(
    known.has(answer.status) || (endpoint.errors ?? []).includes(answer.status) || (isAnother && answer.status === 405),
    `${answer.status}: ${answer.text.slice(0, 300)}`,
  ).toBe(true)
  expect(readExactly(ErrorResponse, answer.json()).code).toBe(answer.status)
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

/** Runs fast-check repeatedly with new seeds until the time budget is used. A failure is shrunk and prints its seed. */
async function fuzz<T>(arbitrary: fc.Arbitrary<T>, run: (value: T) => Promise<void>, budgetMs: number, atLeast = 0): Promise<number> {
  const ends = performance.now() + budgetMs
  let shotsFired = 0
  const isOver = (): boolean => shotsFired >= atLeast && performance.now() >= ends
  for (let round = 0; !isOver(); round++) {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 8, maxLength: 8 }), async (volley) => {
        shotsFired += volley.length
        await Promise.all(volley.map(run))
      }),
      { seed: seed + round, numRuns: 8, endOnFailure: !full },
    )
  }
  return shotsFired
}

test('behavior: every operation survives arbitrary input', { timeout: forMs + 120_000 }, async () => {
  const fired = await fuzz(fc.oneof(...names.map(shots)), fire, forMs, 10 * names.length)
  console.info(`fuzz: ${fired} requests, seed ${seed}`)
  await isWhole()
})

test('behavior: every socket frame survives arbitrary input', { timeout: forMs + 120_000 }, async () => {
  const frames = damaged(arbitraryOf(ClientFrame), { type: 'subscribe', data: { order_id: examples.getOrder.params!.order_id } })
  const sendFrames = async (sent: readonly Uint8Array[]) => {
    const live = await openSocket(service.baseUrl, fromNewAddress())
    for (const bytes of sent) live.socket.send(bytes, { binary: false })
    live.socket.ping()
    const code = await Promise.race([live.closed, new Promise<undefined>((resolve) => live.socket.once('pong', () => resolve(undefined)))])
    if (code !== undefined) expect([1006, 1007, 1008, 1009, 4401]).toContain(code)
    expect(live.frames.every(({ type }) => ['connected', 'subscription', 'error', 'event', 'ping'].includes(type))).toBe(true)
    if (live.socket.readyState !== WebSocket.CLOSED) live.socket.terminate()
  }
  const fired = await fuzz(fc.array(frames, { minLength: 1, maxLength: 12 }), sendFrames, forMs / 4)
  console.info(`fuzz: ${fired} sockets, seed ${seed}`)
  await isWhole()
})

/** Checks that nothing crashed, nothing is half-written, and no secret was logged. */
async function isWhole(): Promise<void> {
  const output = service.service.output()
  expect(output).not.toMatch(/"level":(50|60)/)
  for (const secret of [merchant.keys.secret, internal.secret, 'whsec_']) expect(output).not.toContain(secret)
  expect((await fetch(`${service.service.payUrl}/healthz`)).status).toBe(200)
  const [sum] = await stage.database
    .sql`select count(*)::int as uneven from (select 1 from ledger group by order_id, number, chain_id, token having sum(amount) <> 0) as each`
  expect(sum!.uneven).toBe(0)
  const other = (await stage.merchant()).at(service)
  expect((await createClient(service.baseUrl, other.keys).ask('listOrders')).data).toEqual([])
}
