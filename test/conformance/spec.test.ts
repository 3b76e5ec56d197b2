import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { createPayer } from '../support/wallets/payer.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { type Client, createClient, signature, signedHeaders } from '../support/client/client.ts'
import { type Service, startService } from '../support/service/service.ts'
import { type AuthKind, enums, errors, type FieldRow, fields, type Kind, limits, operations, requestMembers } from './spec-tables.ts'

/** Checks each row of the specification's tables against the API description and against a freshly started service. */

type Json = Record<string, unknown>
interface Fixtures {
  readonly organization: { api_key: string; api_secret: string }
  readonly chains: readonly { chain_id: number; rpc_url: string }[]
  readonly accounts: readonly { private_key: string }[]
  readonly bank_account_id: string
}

let service: Service
let fixtures: Fixtures
let client: Client
let internal: Client
let description: Json
/** Recorded responses by resource. A row's member is looked up in each of them. */
const live: Record<string, unknown[]> = {}
let orderId = ''
let tokens: readonly { address: string; chain_id: number; symbol: string }[] = []
const rows = { checked: 0, onlyDescribed: [] as string[] }

let callers = 0
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${callers++ % 256}` })

const collect = (resource: string, ...values: unknown[]) => (live[resource] = [...(live[resource] ?? []), ...values])

beforeAll(async () => {
  // Unknown ids count against a rate limit per address, so each failing call comes from another address.
  service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
  fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
  client = createClient(service.baseUrl, { apiKey: fixtures.organization.api_key, secret: fixtures.organization.api_secret })
  internal = createClient(service.baseUrl, { apiKey: 'pk_test_internal', secret: 'sk_test_internal' })
  description = (await client.raw('GET', '/openapi.json')).json() as Json

  const metadata = {
    items: [{ name: 'a', description: 'b', image: 'https://shop.example/a.png', currency: 'usd', quantity: 1, unit_price: 1 }],
    refund: { name: 'a', reason: 'b', additional_info: 'c', currency: 'usd', refund_amount: 1 },
  }
  const paid = await checkout(client, { amount: '5', fiat_unit: 'usd', metadata })
  orderId = (await checkout(client, { amount: '6', fiat_unit: 'usd' })).id
  const { asset } = paid.created.fulfillment
  const payer = createPayer(fixtures.chains.find(({ chain_id }) => chain_id === asset.chain_id)!.rpc_url, fixtures.accounts[0]!.private_key)
  await payer.pay(asset.address, paid.deposit, paid.required)
  const done = await untilStatus(client, paid.id, 'COMPLETED')
  collect('Order', done, await client.ask('getOrder', paid.path))
  collect('Amount', done.fulfillment.amount)
  collect('Currency', done.fulfillment.asset)

  const { data: keys } = await client.ask('listApiKeys')
  collect('ApiKey', ...keys)
  await fetch(`${service.payUrl}/test/bank/accounts/${fixtures.bank_account_id}/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"amount":"12.34"}',
  })
  const deposits = await client.ask('bankDeposits', { params: { account_id: fixtures.bank_account_id } })
  collect('BankOnrampDeposit', ...deposits.data)
  collect('OnrampDestination', deposits.data[0]?.destination)
  collect('OnrampSettlement', deposits.data[0]?.settlement)
  collect('CurrencyBase', deposits.data[0]?.destination.currency)
  collect('Pagination', deposits.pagination)

  const verification = await client.ask('createVerification', {
    body: { email: 'spec@example.com', type: 'individual', full_name: 'Spec' },
  })
  await fetch(verification.kyc_link, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ kyc_status: 'rejected', reason: 'Too dark.' }),
  })
  collect('OffRampVerification', await client.ask('createVerification', { body: { email: 'spec@example.com', type: 'individual' } }))
  collect('EmailChallenge', await internal.ask('createEmailChallenge', { body: { email: 'spec@example.com' } }))
  collect('FeeBalance', await client.ask('feeBalance'))

  const invoice = await client.ask('createInvoice', {
    body: {
      from: { email: 'a@b.example', name: 'A' },
      recipient: { email: 'c@d.example', name: 'C' },
      invoice: { no: '1', date: '2026-05-12', due_date: '2026-05-13' },
      items: [{ name: 'x', quantity: '1', tax: '7', unitPrice: '2' }],
    },
  })
  collect('Invoice', await client.ask('archiveInvoice', { params: { invoice_id: invoice.id } }))
  collect('InvoiceData', invoice.data)

  const methods = await client.ask('paymentMethods', { params: { order_id: orderId } })
  collect('PaymentMethodList', methods)
  collect('PaymentMethod', ...methods.methods)
  tokens = (await client.ask('searchCurrencies', { query: { q: 'us', limit: '50' } })).currencies
  // Requests refuse unknown members, so only chain and address are sent.
  const [from, to] = tokens.filter(({ chain_id }) => chain_id === 8453).map(({ chain_id, address }) => ({ chain_id, address }))
  for (const amount of ['1', '8000000']) {
    const swap = await client.ask('swapQuote', { body: { source: from, destination: to, amount, trade_type: 'EXACT_INPUT' } })
    collect('SwapQuoteResponse', swap)
    if (swap.quote) collect('Quote', swap.quote)
    if (swap.quote) collect('Breakdown', swap.quote.input.breakdown)
  }
  collect('ErrorResponse', (await client.raw('GET', '/orders/none')).json())
})
afterAll(async () => {
  await service?.close()
  const unseen = rows.onlyDescribed
  console.log(
    `spec.md: ${rows.checked} rows checked against the description and the running service; ${unseen.length} optional members did not occur live: ${unseen.join(', ')}`,
  )
})

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Resolves references and lists the alternatives of a union. */
function alternatives(schema: unknown): Json[] {
  if (!isObject(schema)) return []
  if (typeof schema.$ref === 'string') {
    const components = (description.components as { schemas: Json }).schemas
    return alternatives(components[schema.$ref.replace('#/components/schemas/', '')])
  }
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return parts.length > 0 ? parts.flatMap(alternatives) : [schema]
}

const component = (name: string): unknown => ({ $ref: `#/components/schemas/${name}` })

function inside(schema: unknown, member: string): { readonly schemas: Json[]; readonly required: boolean } {
  let schemas = alternatives(schema)
  let required = true
  for (const step of member.split('.')) {
    if (step === '[]') schemas = schemas.flatMap((schema) => alternatives(schema.items))
    else {
      required = schemas.every((schema) => schema.type === 'null' || (Array.isArray(schema.required) && schema.required.includes(step)))
      schemas = schemas.flatMap((schema) => (isObject(schema.properties) ? alternatives(schema.properties[step]) : []))
    }
  }
  return { schemas, required }
}

const jsonTypes: Partial<Record<Kind, readonly string[]>> = {
  number: ['number', 'integer'],
  integer: ['integer'],
  boolean: ['boolean'],
  object: ['object'],
  array: ['array'],
}

function expectDescribed(schemas: readonly Json[], kind: Kind) {
  expect(schemas.length, 'it is described').toBeGreaterThan(0)
  const real = schemas.filter(({ type }) => type !== 'null')
  const bare = kind.replace('?null', '')
  if (kind.endsWith('?null')) expect(schemas.some(({ type }) => type === 'null')).toBe(true)
  const named = /^\[?@(\w+)\]?$/.exec(bare)?.[1]
  const list = bare.startsWith('[')
  const target = list ? real.flatMap(({ items }) => alternatives(items)) : real
  if (named && enums[named]) {
    const values = target.flatMap((schema) => (Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []))
    expect(new Set(values)).toEqual(new Set(enums[named]))
  } else if (named) {
    const members = fields.filter(([resource]) => resource === named).map(([, member]) => member.split('.')[0]!)
    for (const member of members)
      expect(
        target.some((schema) => isObject(schema.properties) && member in schema.properties),
        `${named}.${member}`,
      ).toBe(true)
  } else {
    const types = jsonTypes[kind] ?? ['string']
    for (const { type, ...rest } of target)
      expect(types, JSON.stringify(rest)).toContain(
        type ?? (isObject(rest.properties) ? 'object' : Array.isArray(rest.enum) ? typeof rest.enum[0] : undefined),
      )
  }
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind.endsWith('?null') && value === null) return true
  const bare = kind.replace('?null', '')
  if (bare.startsWith('[')) return Array.isArray(value) && value.every((inner) => isKind(inner, bare.slice(1, -1) as Kind))
  if (bare.startsWith('@')) return enums[bare.slice(1)]?.includes(value as string) ?? isObject(value)
  switch (bare) {
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'date-time':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
    case 'url':
      return typeof value === 'string' && URL.canParse(value)
    case 'decimal':
      return typeof value === 'string' && /^(0|[1-9]\d*)(\.\d+)?$/.test(value)
    default:
      return typeof value === 'string'
  }
}

function valuesAt(value: unknown, member: string): unknown[] {
  const [step = '', ...rest] = member.split('.')
  if (step === '') return [value]
  const next = step === '[]' ? (Array.isArray(value) ? value : []) : isObject(value) && step in value ? [value[step]] : []
  return next.flatMap((inner) => valuesAt(inner, rest.join('.')))
}

describe('fields', () => {
  test.each(fields.map((row) => [row.slice(0, 2).join(' '), row] as const))('%s', (_, [resource, member, kind, required]: FieldRow) => {
    rows.checked++
    const described = inside(component(resource), member)
    expectDescribed(described.schemas, kind)
    if (required) expect(described.required).toBe(true)
    const answers = live[resource] ?? []
    expect(answers.length, 'the service returned one').toBeGreaterThan(0)
    const values = answers.flatMap((answer) => valuesAt(answer, member))
    if (required) expect(values.length).toBeGreaterThanOrEqual(answers.length)
    if (values.length === 0) rows.onlyDescribed.push(`${resource}.${member}`)
    for (const value of values) expect(isKind(value, kind), `${JSON.stringify(value)} is ${kind}`).toBe(true)
  })
})

describe('enums', () => {
  const described: Readonly<Record<string, string>> = {
    ChainID: 'ChainID',
    FiatCurrency: 'FiatCurrency',
    BankOnrampDepositStatus: 'BankOnrampDepositStatus',
    TradeType: 'TradeType',
  }
  test.each(Object.keys(enums))('%s', (name) => {
    rows.checked++
    const used = fields.some(([, , kind]) => kind.includes(`@${name}`)) || requestMembers.some(([, , kind]) => kind.includes(`@${name}`))
    expect(used || described[name] !== undefined).toBe(true)
    if (described[name]) expectDescribed(alternatives(component(described[name])), `@${name}`)
  })
})

describe('operations', () => {
  const answerTo = (endpoint: Endpoint, headers: Record<string, string>) => {
    const path = endpoint.path.replace(/:\w+/g, 'x')
    const base = endpoint === paymentMethodsV2 ? service.baseUrl.replace('/v3', '/v2') : service.baseUrl
    return createClient(base, client.keys).raw(endpoint.method, path, {
      headers: { 'content-type': 'application/json', ...elsewhere(), ...headers },
      body: endpoint.body ? '{}' : undefined,
    })
  }
  const schemes: Record<AuthKind, unknown> = {
    KEY: [{ apiKey: [] }],
    SIGNED: [{ authorization: [], signature: [] }],
    'BODY-SIGNED': [{ authorization: [], bodySignature: [] }],
    PUBLIC: [],
  }

  test.each(operations.map((row) => [row[0], row] as const))('%s', async (_, [name, method, path, auth, success]) => {
    rows.checked++
    const operation = ((description.paths as Record<string, Record<string, Json>>)[path] ?? {})[method.toLowerCase()]
    expect(operation).toMatchObject({ security: schemes[auth], responses: { [success]: expect.anything() } })
    const endpoint: Endpoint = name === 'paymentMethodsV2' ? paymentMethodsV2 : endpoints[name]
    const samplePath = endpoint.path.replace(/:\w+/g, 'x')
    const { keys } = client
    const bare = await answerTo(endpoint, {})
    const keyed = await answerTo(endpoint, { 'x-api-key': keys.apiKey })
    const signed = await answerTo(endpoint, signedHeaders(keys, method, samplePath))
    const wrong = await answerTo(endpoint, { ...signedHeaders({ ...keys, secret: 'sk_other' }, method, samplePath) })
    const covered = await answerTo(endpoint, {
      authorization: keys.apiKey,
      'authorization-signature': signature(keys, method, samplePath, undefined, endpoint.body ? '{}' : ''),
    })
    const passes = [bare, keyed, signed, covered].map(({ status }) => status !== 401)
    const expected: Record<AuthKind, readonly boolean[]> = {
      KEY: [false, true, true, false],
      SIGNED: [false, false, true, false],
      'BODY-SIGNED': [false, false, false, true],
      PUBLIC: [true, true, true, true],
    }
    expect(passes).toEqual(expected[auth])
    if (auth !== 'PUBLIC') expect(wrong.status).toBe(401)
  })

  test.each(requestMembers.map((row) => [row.slice(0, 2).join(' '), row] as const))('%s', (_, [name, member, kind]) => {
    rows.checked++
    const endpoint: Endpoint = endpoints[name]
    const operation = (description.paths as Record<string, Record<string, Json>>)[endpoint.path.replace(/:(\w+)/g, '{$1}')]![
      endpoint.method.toLowerCase()
    ]!
    const schema = valuesAt(operation, 'requestBody.content')[0] as Json
    expectDescribed(inside((schema['application/json'] as Json).schema, member).schemas, kind)
  })
})

describe('limits', () => {
  const account = () => ({ params: { account_id: fixtures.bank_account_id } })
  const statusOf: Record<(typeof limits)[number]['limit'], (value: string) => Promise<number>> = {
    'limit of the bank deposits list': async (limit) =>
      (
        await client.raw('GET', `/onramp/bank/accounts/${fixtures.bank_account_id}/deposits?limit=${limit}`, {
          headers: { 'x-api-key': client.keys.apiKey },
        })
      ).status,
    'offset of the bank deposits list': async (offset) =>
      (
        await client.raw('GET', `/onramp/bank/accounts/${fixtures.bank_account_id}/deposits?offset=${offset}`, {
          headers: { 'x-api-key': client.keys.apiKey },
        })
      ).status,
    'label length of an API key': async (label) =>
      (
        await client.raw('PATCH', '/api-keys/key_local', {
          headers: { 'content-type': 'application/json', ...signedHeaders(client.keys, 'PATCH', '/api-keys/key_local') },
          body: JSON.stringify({ label }),
        })
      ).status,
    // A short search text is valid and finds nothing.
    'search text length': async (q) => {
      const { currencies } = await client.ask('searchCurrencies', { query: { q } })
      return currencies.length > 0 ? 200 : 400
    },
    'result count of a currency search': async (limit) =>
      (await client.raw('GET', `/search/currencies?q=us&limit=${limit}`, { headers: { 'x-api-key': client.keys.apiKey } })).status,
    'wallets per portfolio request': async (count) => {
      const wallet = { address: '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c', chain_type: 'EVM', chain_ids: [8453] }
      return (
        await client.raw('POST', '/wallet/portfolio', {
          headers: { 'content-type': 'application/json', 'x-api-key': client.keys.apiKey },
          body: JSON.stringify({ wallets: Array.from({ length: Number(count) }, () => wallet) }),
        })
      ).status
    },
  }
  test.each(limits.map((row) => [row.limit, row] as const))('%s', async (_, row) => {
    rows.checked++
    for (const value of row.fits) expect([value, await statusOf[row.limit](value)]).toEqual([value, 200])
    for (const value of row.not) expect([value, await statusOf[row.limit](value)]).toEqual([value, 400])
    if (row.limit === 'limit of the bank deposits list' || row.limit === 'offset of the bank deposits list') {
      expect((await client.ask('bankDeposits', account())).pagination).toMatchObject({ limit: 20, offset: 0 })
    }
  })
})

describe('errors', () => {
  const path = () => `/onramp/bank/accounts/${fixtures.bank_account_id}/deposits`
  const keyed = () => ({ headers: { ...elsewhere(), 'x-api-key': client.keys.apiKey } })
  const control = (down: boolean) =>
    fetch(`${service.payUrl}/test/bank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ down }),
    })
  const cases: Record<number, () => Promise<{ status: number; answer: unknown }>> = {
    400: async () => answered(await client.raw('GET', `${path()}?limit=0`, keyed())),
    401: async () => answered(await client.raw('GET', path(), { headers: elsewhere() })),
    404: async () => answered(await client.raw('GET', '/onramp/bank/accounts/bank_nobody/deposits', keyed())),
    502: async () => {
      await control(true)
      const answer = answered(await client.raw('GET', path(), keyed()))
      await control(false)
      return answer
    },
    402: async () => {
      const raw = await client.raw('POST', `/orders/${orderId}/x402/complete`)
      expect(JSON.parse(Buffer.from(raw.headers.get('payment-required') ?? '', 'base64').toString())).toMatchObject({ x402Version: 2 })
      return answered(raw)
    },
    200: async () => {
      const nowhere = await client.ask('swapQuote', {
        body: {
          source: { chain_id: 8453, address: tokens.find(({ chain_id }) => chain_id === 8453)!.address },
          destination: { chain_id: 1, address: null },
          amount: '1',
          trade_type: 'EXACT_INPUT',
        },
      })
      expect(nowhere.result_type).toBe('NO_ROUTE')
      return { status: 200, answer: undefined }
    },
  }
  const answered = (raw: { status: number; json(): unknown }) => ({ status: raw.status, answer: raw.json() })
  test.each(errors.map(([status, condition]) => [condition, status] as const))('%s', async (_, status) => {
    rows.checked++
    const { status: given, answer } = await cases[status]!()
    expect(given).toBe(status)
    if (status !== 200) expect(answer).toMatchObject({ error: expect.any(String), message: expect.any(String), code: status })
  })
})

test('behavior: the contract version is 3.0.0, and x-release names the release', () => {
  rows.checked++
  expect(description.info).toMatchObject({ version: '3.0.0', 'x-release': expect.stringMatching(/^3\.\d+\.\d+$/) })
})
