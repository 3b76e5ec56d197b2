import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { describedChains } from '../../server/compose/described-chains.ts'
import { openapi } from '../../server/reference/openapi.ts'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { root } from '../support/root.ts'

/** The OpenAPI document is generated from the validation schemas, and checked against its standard and the endpoint table. */

type Json = Record<string, unknown>
interface Operation {
  readonly operationId: string
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json }[]
  readonly requestBody?: { required: boolean; content: Json }
  readonly tags: readonly string[]
  readonly responses: Record<string, { description: string; headers?: Json; content?: Record<string, { schema: Json; example?: unknown }> }>
  readonly security: readonly Json[]
}

const document = JSON.parse(
  JSON.stringify(openapi('https://pay.example/v3', 'https://pay.example', describedChains({ chains: new Map() }))),
) as Json & {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}
/** The official schema from https://spec.openapis.org/oas/3.1/schema/2024-11-14. */
const metaSchema = JSON.parse(readFileSync(join(root, 'test/support/fixtures/openapi-3.1.schema.json'), 'utf8')) as Json

function operation(name: keyof typeof endpoints) {
  const { path, method }: Endpoint = endpoints[name]
  return document.paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!
}

test('default: the document is valid OpenAPI 3.1', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  const isValid = ajv.compile(metaSchema)
  isValid(document)
  expect(isValid.errors).toBeNull()
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { version: '3.0.0', 'x-release': (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Json).version },
    servers: [{ url: 'https://pay.example/v3' }],
  })
})

describe('schemas', () => {
  /** The document has its public URL as id, so that references resolve as for a reader. */
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'https://pay.example/openapi.json', ...document })

  test.each(Object.keys(document.components.schemas))('default: %s is a valid JSON Schema with resolvable references', (name) => {
    const schema = document.components.schemas[name]!
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => ajv.getSchema(`https://pay.example/openapi.json#/components/schemas/${name}`)).not.toThrow()
  })

  test('default: the schemas of every operation are valid too', () => {
    const found: [string, Json][] = []
    const collect = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inside] of Object.entries(value)) {
        const here = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
        if (key === 'schema') found.push([here, inside as Json])
        else collect(inside, here)
      }
    }
    collect(document.paths, '#/paths')
    expect(found.length).toBeGreaterThan(60)
    for (const [path, schema] of found) {
      expect([path, ajv.validateSchema(schema)]).toEqual([path, true])
      ajv.getSchema(`https://pay.example/openapi.json${encodeURI(path)}`)
    }
    for (const reference of JSON.stringify(document).match(/"#\/components\/[^"]+"/g)!) {
      const [, , kind = '', name = ''] = reference.slice(1, -1).split('/')
      expect(Object.keys((document.components as Record<string, Json>)[kind]!)).toContain(name)
    }
  })

  test('behavior: a real order fits its schema, and an invalid one does not', () => {
    const order = ajv.getSchema('https://pay.example/openapi.json#/components/schemas/Amount')!
    expect(order({ raw: '1', ui: '0.000001', value_usd: 0 })).toBe(true)
    expect(order({ raw: '-1', ui: '0.000001', value_usd: 0 })).toBe(false)
  })
})

test.each(Object.keys(endpoints) as (keyof typeof endpoints)[])('default: %s is described as in the endpoint table', (name) => {
  const endpoint: Endpoint = endpoints[name]
  const described = operation(name)
  expect(described.operationId).toBe(name)
  expect(described.security.length === 0).toBe(endpoint.auth === 'PUBLIC')
  expect(described.requestBody !== undefined).toBe(endpoint.body !== undefined)
  expect(Object.keys(described.responses)).toContain(String(endpoint.status))
  for (const [status, { content, headers }] of Object.entries(described.responses)) {
    if (Number(status) >= 400) expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ErrorResponse' })
    if (status === '429' || status === '503') expect(Object.keys(headers ?? {})).toEqual(['Retry-After'])
  }
  for (const status of [429, 500, 503, ...(endpoint.errors ?? [])]) expect(Object.keys(described.responses)).toContain(String(status))
  const has = (status: number) => Object.keys(described.responses).includes(String(status))
  expect([has(413), has(415)], 'only what takes a body refuses one').toEqual([endpoint.body !== undefined, endpoint.body !== undefined])
  expect(has(404), 'only what names something misses it').toBe(endpoint.params !== undefined || (endpoint.errors ?? []).includes(404))
  expect(has(401)).toBe(endpoint.auth !== 'PUBLIC')
  expect(described.tags).toHaveLength(1)
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1])
  expect(described.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name)).toEqual(names)
})

test('behavior: members that are read as numbers are described as numbers', () => {
  const query = (name: keyof typeof endpoints) =>
    Object.fromEntries(
      operation(name)
        .parameters.filter((parameter) => parameter.in === 'query')
        .map((parameter) => [parameter.name, { required: parameter.required, ...parameter.schema }]),
    )
  const limit = { required: false, type: 'integer', format: 'int64', minimum: 1, maximum: 100, default: 20 }
  const offset = { required: false, type: 'integer', format: 'int64', minimum: 0, maximum: 100_000, default: 0 }
  expect(query('bankDeposits')).toEqual({ limit, offset })
  expect(query('listOrders')).toMatchObject({ limit, offset, status: { required: false } })
  expect(query('listInvoices')).toMatchObject({ limit, offset })
  expect(query('searchCurrencies')).toMatchObject({ limit: { ...limit, maximum: 50 }, q: { type: 'string' } })
})

test('behavior: the published v2 path is described at the origin', () => {
  expect(document.paths['/v2/pay-orders/{payorder_id}/payment-methods']).toMatchObject({
    servers: [{ url: 'https://pay.example' }],
    get: { security: [{ apiKey: [] }] },
  })
})

describe('facts that a client needs', () => {
  const schemas = document.components.schemas

  test('behavior: integers are int64, and chain ids are the ten known ones', () => {
    expect(schemas.ChainID).toMatchObject({ type: 'integer', format: 'int64' })
    expect(schemas.ChainID!.enum).toEqual([1, 10, 56, 137, 4663, 8453, 42161, 20000000000001, 30000000000001, 30000000000002])
    for (const name of ['total_count', 'limit', 'offset'])
      expect((schemas.Pagination!.properties as Json)[name]).toMatchObject({ type: 'integer', format: 'int64' })
    expect((schemas.ErrorResponse!.properties as Json).code).toMatchObject({ type: 'integer', format: 'int64' })
    // 2^53 is a limit of the language and not of the API.
    expect(JSON.stringify(document)).not.toContain('9007199254740991')
  })

  test('behavior: a test network is described where it is configured', () => {
    const described = describedChains({ chains: new Map([[20000000000102, undefined as never]]) })
    expect(described).toContain(20000000000102)
    const { schemas: own } = openapi('https://pay.example/v3', 'https://pay.example', described).components as typeof document.components
    expect(own.ChainID).toMatchObject({ enum: described, description: expect.stringContaining('20000000000102 Bitcoin Signet') })
    for (const id of [84532, 11155111, 20000000000101]) expect(described).not.toContain(id)
  })

  test('behavior: each signed operation describes how to sign', () => {
    const schemes = (document.components as unknown as { securitySchemes: Record<string, { name: string; description: string }> })
      .securitySchemes
    expect(operation('createEmailChallenge').security).toEqual([{ authorization: [], bodySignature: [] }])
    expect(operation('createWebhook').security).toEqual([{ authorization: [], signature: [] }])
    expect(schemes.bodySignature).toMatchObject({
      name: 'Authorization-Signature',
      description: expect.stringContaining('SHA-256 of the exact bytes'),
    })
    expect(schemes.signature!.description).not.toContain('SHA-256 of')
  })

  test('behavior: webhook deliveries are described with their headers', () => {
    const { post } = (document.webhooks as Record<string, { post: Operation }>).orderEvent!
    expect(post.parameters.map(({ name, in: where, required }) => [name, where, required])).toEqual([
      ['Till-Webhook-Signature', 'header', true],
      ['Till-Webhook-Id', 'header', true],
    ])
    expect(post.requestBody?.content).toMatchObject({ 'application/json': { schema: { $ref: '#/components/schemas/EventEnvelope' } } })
  })

  test('behavior: x402 operations describe their response headers', () => {
    const { responses } = operation('completeX402')
    expect(Object.keys(responses['402']!.headers!)).toEqual(['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'])
    for (const status of ['200', '202']) expect(Object.keys(responses[status]!.headers!)).toEqual(['PAYMENT-RESPONSE'])
    expect([responses['202']!.description, responses['402']!.description]).toEqual([
      expect.stringContaining('sign nothing new'),
      expect.stringContaining('what can be signed'),
    ])
  })

  test('behavior: responses may have more members, requests have none that are unknown', () => {
    expect(
      JSON.stringify([schemas, Object.values(document.paths).map((methods) => Object.values(methods).map(({ responses }) => responses))]),
    ).not.toContain('"additionalProperties":false')
    const body = operation('createOrder').requestBody!.content['application/json'] as {
      schema: Json & { properties: Record<string, Json> }
    }
    expect(body.schema.additionalProperties).toBe(false)
    expect([body.schema.properties.currency!.additionalProperties, body.schema.properties.settings!.additionalProperties]).toEqual([
      false,
      false,
    ])
    expect(body.schema.properties.metadata!.additionalProperties).toEqual({})
  })

  test('behavior: a DEPOSIT without its recipient does not fit, like any order that the service would refuse', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'https://pay.example/openapi.json', ...document })
    const fits = ajv.getSchema('https://pay.example/openapi.json#/paths/~1orders/post/requestBody/content/application~1json/schema')!
    const currency = { chain_id: 8453, address: null }
    expect(fits({ mode: 'SALE', amount: '10' })).toBe(true)
    expect(fits({ mode: 'DEPOSIT', amount: '10', currency })).toBe(false)
    expect(fits({ mode: 'DEPOSIT', amount: '10', currency, recipient: `0x${'12'.repeat(20)}` })).toBe(true)
    expect(fits({ mode: 'SALE', amount: '10', recipeint: 'x' })).toBe(false)
  })

  test('behavior: every example fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.addSchema({ $id: 'https://pay.example/openapi.json', ...document })
    let shown = 0
    const look = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return
      if ('schema' in value && 'example' in value) {
        shown++
        const check = ajv.getSchema(`https://pay.example/openapi.json${encodeURI(path)}/schema`)!
        check(value.example)
        expect([path, check.errors ?? null]).toEqual([path, null])
      }
      for (const [key, inside] of Object.entries(value)) look(inside, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }
    look(document.paths, '#/paths')
    look(document.webhooks, '#/webhooks')
    expect(shown).toBeGreaterThan(45)
  })

  test('behavior: the description names which of the two payment-method paths a generated client uses', () => {
    const methods = document.paths['/v2/pay-orders/{payorder_id}/payment-methods']!.get as unknown as { description: string }
    expect(methods.description).toContain('/orders/{order_id}/payment-methods')
  })
})
