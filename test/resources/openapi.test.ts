import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { openapi } from '../../server/resources/openapi.ts'
import { type Endpoint, endpoints } from '../../src/wire/endpoints.ts'
import { root } from '../support/root.ts'

/** The description is made from the schemas that validate: here it is held against its own standard, and against the table. */

type Json = Record<string, unknown>
interface Operation {
  readonly operationId: string
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json }[]
  readonly requestBody?: { required: boolean; content: Json }
  readonly responses: Record<string, { content?: Record<string, { schema: Json }> }>
  readonly security: readonly Json[]
}

const document = JSON.parse(JSON.stringify(openapi('https://pay.example/v3', 'https://pay.example'))) as Json & {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}
/** https://spec.openapis.org/oas/3.1/schema/2024-11-14, as published. */
const metaSchema = JSON.parse(readFileSync(join(root, 'test/resources/fixtures/openapi-3.1.schema.json'), 'utf8')) as Json

const operation = (name: keyof typeof endpoints) => {
  const { path, method }: Endpoint = endpoints[name]
  return document.paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!
}

test('default: it is OpenAPI 3.1', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  const isValid = ajv.compile(metaSchema)
  isValid(document)
  expect(isValid.errors).toBeNull()
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { version: '3.0.0', 'x-release': '3.4.0' },
    servers: [{ url: 'https://pay.example/v3' }],
  })
})

describe('its schemas', () => {
  /** In the document's place, so that references lead where they lead for a reader. */
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'https://pay.example/openapi.json', ...document })

  test.each(Object.keys(document.components.schemas))('default: %s is a JSON Schema and leads nowhere unknown', (name) => {
    const schema = document.components.schemas[name]!
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => ajv.getSchema(`https://pay.example/openapi.json#/components/schemas/${name}`)).not.toThrow()
  })

  test('default: those of every operation too', () => {
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
      expect(Object.keys(document.components.schemas)).toContain(reference.slice(1, -1).split('/').at(-1))
    }
  })

  test('behavior: an order as it is made fits, and what is no order does not', () => {
    const order = ajv.getSchema('https://pay.example/openapi.json#/components/schemas/Amount')!
    expect(order({ raw: '1', ui: '0.000001', value_usd: 0 })).toBe(true)
    expect(order({ raw: '-1', ui: '0.000001', value_usd: 0 })).toBe(false)
  })
})

test.each(Object.keys(endpoints) as (keyof typeof endpoints)[])('default: %s is described as the table has it', (name) => {
  const endpoint: Endpoint = endpoints[name]
  const one = operation(name)
  expect(one.operationId).toBe(name)
  expect(one.security.length === 0).toBe(endpoint.auth === 'PUBLIC')
  expect(one.requestBody !== undefined).toBe(endpoint.body !== undefined)
  expect(Object.keys(one.responses)).toContain(String(endpoint.status))
  for (const [status, { content }] of Object.entries(one.responses)) {
    if (Number(status) >= 400) expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ErrorResponse' })
  }
  for (const status of [400, 404, 413, 429, 500, ...(endpoint.errors ?? [])]) expect(Object.keys(one.responses)).toContain(String(status))
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1])
  expect(one.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name)).toEqual(names)
})

test('behavior: what is read as a number is described as one', () => {
  const query = (name: keyof typeof endpoints) =>
    Object.fromEntries(
      operation(name)
        .parameters.filter((one) => one.in === 'query')
        .map((one) => [one.name, { required: one.required, ...one.schema }]),
    )
  const limit = { required: false, type: 'integer', minimum: 1, maximum: 100, default: 20 }
  const offset = { required: false, type: 'integer', minimum: 0, maximum: 100_000, default: 0 }
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
