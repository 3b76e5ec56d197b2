import type * as z from 'zod/mini'
import type { Auth, Endpoint } from '../../src/wire/endpoint.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { EventEnvelope } from '../../src/wire/event.ts'
import { statusTexts } from '../http/api-error.ts'
import { examples } from './samples.ts'
import { groups } from './groups.ts'
import { requests } from './requests.ts'
import { deliveryHeaders, headerRef, headers, requestHeaders } from './openapi/headers.ts'
import { describeAll, described, isObject, type Json, withDescriptions } from './openapi/schemas.ts'
import { aboutChains, operationDescriptions } from './openapi/descriptions.ts'

const security: Record<Auth, Json[]> = {
  KEY: [{ apiKey: [] }],
  'KEY-OR-SIGNED': [{ apiKey: [] }, { authorization: [], signature: [] }],
  SIGNED: [{ authorization: [], signature: [] }],
  'BODY-SIGNED': [{ authorization: [], bodySignature: [] }],
  PUBLIC: [],
}

const propertiesOf = (document: Json): Json => (isObject(document.properties) ? document.properties : {})

/** Everything in a URL is text, so a parameter that is parsed as a number is described as one, with its bounds and default. */
function asRead(written: unknown, read: unknown): unknown {
  if (!isObject(written) || !isObject(read) || read.type !== 'integer') return written
  return written.default === undefined ? read : { ...read, default: Number(written.default) }
}

function parametersOf(schema: z.ZodMiniType | undefined, where: 'path' | 'query', components: Json): Json[] {
  if (!schema) return []
  const document = described(schema, 'input', components)
  const read = propertiesOf(described(schema, 'output', components))
  const required = Array.isArray(document.required) ? document.required : []
  return Object.entries(propertiesOf(document)).map(([name, written]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: asRead(written, read[name]),
  }))
}

const headersOf = (id: string, status: number): Json => ({
  ...(status === 429 || status === 503 ? headerRef('Retry-After') : {}),
  ...(id === 'completeX402' && status === 402 ? headerRef('PAYMENT-REQUIRED') : {}),
  ...(id === 'completeX402' && [200, 202, 402].includes(status) ? headerRef('PAYMENT-RESPONSE') : {}),
})

function answerOf(id: string, status: number, description: string, content: Json | undefined): [string, Json] {
  const carried = headersOf(id, status)
  return [
    String(status),
    {
      description,
      ...(Object.keys(carried).length > 0 ? { headers: carried } : {}),
      ...(content ? { content: { 'application/json': content } } : {}),
    },
  ]
}

/** Lists the errors that follow from an endpoint's other members, in addition to those that its row in the table names. */
const usualErrors = ({ auth, query, body, params, idempotency }: Endpoint): readonly number[] => [
  ...(query || body || idempotency ? [400] : []),
  ...(auth === 'PUBLIC' ? [] : [401]),
  ...(params ? [404] : []),
  ...(body ? [413, 415] : []),
  429,
  500,
  503,
]

const responseDescriptions: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  completeX402: {
    200: 'Paid',
    202: 'The transaction was broadcast and is not mined yet. Ask again with the same header; sign nothing new.',
    402: 'Nothing was paid. PAYMENT-REQUIRED says what can be signed; its `error` says why the last signature was refused.',
  },
}

/** Our own schemas check in code that a DEPOSIT names its currency and its recipient, so JSON Schema needs these keywords for it. */
const extraKeywords: Readonly<Record<string, Json>> = {
  createOrder: {
    if: { properties: { mode: { const: 'DEPOSIT' } }, required: ['mode'] },
    // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's keyword
    then: { required: ['currency', 'recipient'] },
  },
}

function operationOf(id: string, endpoint: Endpoint, components: Json): Json {
  const header = (name: string, required: boolean): Json => ({
    name,
    in: 'header',
    required,
    description: requestHeaders[name],
    schema: { type: 'string' },
  })
  const example = examples[id === 'paymentMethodsV2' ? 'paymentMethods' : id]
  const content = endpoint.answer && { schema: described(endpoint.answer, 'output', components), example }
  const failed = { schema: { $ref: '#/components/schemas/ErrorResponse' } }
  const errors = [...new Set([...usualErrors(endpoint), ...(endpoint.errors ?? [])])].sort((a, b) => a - b)
  const describe = (status: number, otherwise: string): string => responseDescriptions[id]?.[status] ?? otherwise
  return {
    operationId: id,
    summary: endpoint.summary,
    description: operationDescriptions[id],
    tags: groups.filter(({ operations }) => operations.some((name) => name === id)).map(({ title }) => title),
    security: security[endpoint.auth],
    parameters: [
      ...parametersOf(endpoint.params, 'path', components),
      ...parametersOf(endpoint.query, 'query', components),
      ...(endpoint.idempotency ? [header('Idempotency-Key', endpoint.idempotency === 'required')] : []),
      ...(id === 'completeX402' ? [header('PAYMENT-SIGNATURE', false)] : []),
    ],
    ...(endpoint.body
      ? {
          requestBody: {
            required: !endpoint.bodyOptional,
            content: {
              'application/json': {
                schema: { ...withDescriptions(described(endpoint.body, 'input', components), id), ...extraKeywords[id] },
                example: (requests as Readonly<Record<string, unknown>>)[id],
              },
            },
          },
        }
      : {}),
    responses: Object.fromEntries([
      answerOf(id, endpoint.status, describe(endpoint.status, 'Success'), content),
      ...(endpoint.alternativeStatus === undefined
        ? []
        : [answerOf(id, endpoint.alternativeStatus, describe(endpoint.alternativeStatus, 'Accepted, and still in progress'), content)]),
      ...errors.map((status) => answerOf(id, status, describe(status, statusTexts[status as keyof typeof statusTexts]), failed)),
    ]),
  }
}

const webhooks = (components: Json): Json => ({
  orderEvent: {
    post: {
      operationId: 'orderEvent',
      summary: 'An order changed',
      description:
        'Sent to each webhook that registered for the event, at least once, and in order for the first three attempts. A delivery that is not acknowledged is retried after 10 s, 1 m, 5 m, 30 m, 2 h, 6 h, 12 h, then daily for three days; ignore an order whose updated_at is older than what you have.',
      tags: ['Webhooks'],
      parameters: deliveryHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: described(EventEnvelope, 'output', components), example: examples.EventEnvelope } },
      },
      responses: { '2XX': { description: 'Received. Any status from 200 to 299 within 30 seconds acknowledges the delivery.' } },
    },
  },
})

const signed = 'APIKey=<api key>,signature=<hex>,timestamp=<unix seconds>: lowercase hex of HMAC-SHA256, with the secret, over'
const securitySchemes: Json = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: 'The publishable API key. Servers may send it in Authorization instead, which browsers are not allowed to.',
  },
  authorization: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The API key, the same as in the signature.' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization-Signature',
    description: `${signed} METHOD + path + timestamp, concatenated; the path without /v3 and without the query. The clock may be off by 300 seconds.`,
  },
  bodySignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization-Signature',
    description: `${signed} METHOD + path + timestamp + the lowercase hex SHA-256 of the exact bytes of the body, concatenated; the path without /v3 and without the query. The clock may be off by 300 seconds.`,
  },
}

export const apiVersion = '3.0.0'
export const release = '3.8.0'

/**
 * Generates the description from the table and the schemas with which the service routes and validates, so they cannot differ. Test networks
 * are ids only where they are configured, so `chainIds` says which ids to describe.
 */
export function openapi(baseUrl: string, origin: string, chainIds: readonly ChainId[]): Json {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const put = (prefix: string, id: string, endpoint: Endpoint, more: Json = {}) => {
    const path = prefix + endpoint.path.replace(/:([a-z0-9_]+)/g, '{$1}')
    paths[path] = { ...paths[path], ...more, [endpoint.method.toLowerCase()]: operationOf(id, endpoint, components) }
  }
  for (const [id, endpoint] of Object.entries(endpoints)) put('', id, endpoint)
  put('/v2', 'paymentMethodsV2', paymentMethodsV2, { servers: [{ url: origin }] })
  const sent = webhooks(components)
  describeAll(components)
  components.ChainID = { ...(components.ChainID as Json), enum: chainIds, description: aboutChains(chainIds) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments Service API',
      version: apiVersion,
      'x-release': release,
      description:
        'Amounts are strings, never floats. Every release may add members to responses and values to lists: ignore what you do not know. Any other method at one of these paths is 405.',
    },
    externalDocs: { description: 'The same as a page to read', url: `${origin}/reference` },
    servers: [{ url: baseUrl }],
    tags: groups.map(({ title, about }) => ({ name: title, description: about })),
    paths,
    webhooks: sent,
    components: { schemas: components, headers, securitySchemes },
  }
}
