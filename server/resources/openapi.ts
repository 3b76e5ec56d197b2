import * as z from 'zod/mini'
import { Amount } from '../../src/wire/amount.ts'
import { ApiKey } from '../../src/wire/api-key.ts'
import { BankOnrampDeposit, BankOnrampDepositStatus, OnrampDestination, OnrampSettlement } from '../../src/wire/bank.ts'
import { ChainId } from '../../src/wire/chain.ts'
import { Currency, CurrencyBase, FiatCurrency } from '../../src/wire/currency.ts'
import { type Auth, type Endpoint, endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { ErrorResponse } from '../../src/wire/error.ts'
import { EventEnvelope, OrderEvent } from '../../src/wire/event.ts'
import { FeeBalance } from '../../src/wire/fee-balance.ts'
import { Invoice, InvoiceData } from '../../src/wire/invoice.ts'
import { EmailChallenge, OffRampVerification } from '../../src/wire/off-ramp.ts'
import { Order, OrderMetadata, OrderMode, OrderSettings, OrderStatus, Payment, PaymentStep } from '../../src/wire/order.ts'
import { Pagination } from '../../src/wire/pagination.ts'
import { PaymentMethod, PaymentMethodList } from '../../src/wire/payment-methods.ts'
import { Breakdown, Quote, SwapQuoteResponse, TradeType } from '../../src/wire/quote.ts'
import { Webhook } from '../../src/wire/webhook.ts'
import { statusTexts } from '../http/ApiError.ts'

const named = {
  Amount,
  ApiKey,
  BankOnrampDeposit,
  BankOnrampDepositStatus,
  Breakdown,
  ChainID: ChainId,
  Currency,
  CurrencyBase,
  EmailChallenge,
  ErrorResponse,
  EventEnvelope,
  FeeBalance,
  FiatCurrency,
  Invoice,
  InvoiceData,
  OffRampVerification,
  OnrampDestination,
  OnrampSettlement,
  Order,
  OrderEvent,
  OrderMetadata,
  OrderMode,
  OrderSettings,
  OrderStatus,
  Pagination,
  Payment,
  PaymentMethod,
  PaymentMethodList,
  PaymentStep,
  Quote,
  SwapQuoteResponse,
  TradeType,
  Webhook,
} as const

type Json = Record<string, unknown>

const registry = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Points into the description's components, and without what only a document of its own may carry. The names under `properties` are
 * members of a payload, not keywords: a member called `id` stays.
 */
const relocated = (schema: unknown, areNames = false): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => relocated(one))
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => areNames || (key !== '$schema' && key !== '$defs' && key !== 'id' && key !== '~standard'))
      .map(([key, one]) => [
        key,
        !areNames && key === '$ref' && typeof one === 'string'
          ? one.replace('#/$defs/', '#/components/schemas/')
          : relocated(one, !areNames && key === 'properties'),
      ]),
  )
}

/** One schema as JSON Schema 2020-12. What it names goes to `components`. */
const described = (schema: z.ZodMiniType, io: 'input' | 'output', components: Json): Json => {
  const document: unknown = z.toJSONSchema(schema, { io, metadata: registry, unrepresentable: 'any' })
  if (!isObject(document)) return {}
  const definitions = isObject(document.$defs) ? document.$defs : {}
  for (const [name, definition] of Object.entries(definitions)) components[name] ??= relocated(definition)
  const moved = relocated(document)
  return isObject(moved) ? moved : {}
}

const security: Record<Auth, Json[]> = {
  KEY: [{ apiKey: [] }],
  'KEY-OR-SIGNED': [{ apiKey: [] }, { authorization: [], signature: [] }],
  SIGNED: [{ authorization: [], signature: [] }],
  'BODY-SIGNED': [{ authorization: [], signature: [] }],
  PUBLIC: [],
}

const propertiesOf = (document: Json): Json => (isObject(document.properties) ? document.properties : {})

/** In an address everything is text; what is read as a number is described as one, with its bounds and its default. */
const asRead = (written: unknown, read: unknown): unknown => {
  if (!isObject(written) || !isObject(read) || read.type !== 'integer') return written
  return written.default === undefined ? read : { ...read, default: Number(written.default) }
}

const parametersOf = (schema: z.ZodMiniType | undefined, where: 'path' | 'query', components: Json): Json[] => {
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

const errorAnswer = (status: number): [string, Json] => [
  String(status),
  {
    description: statusTexts[status as keyof typeof statusTexts],
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
  },
]

const operationOf = (id: string, endpoint: Endpoint, components: Json): Json => {
  const header = (name: string, required: boolean): Json => ({ name, in: 'header', required, schema: { type: 'string' } })
  const usual = [400, 404, 413, 415, 429, 500, ...(endpoint.auth === 'PUBLIC' ? [] : [401])]
  const success = (description: string): Json => ({
    description,
    ...(endpoint.answer ? { content: { 'application/json': { schema: described(endpoint.answer, 'output', components) } } } : {}),
  })
  const statuses = [...new Set([...usual, ...(endpoint.errors ?? [])])].sort((a, b) => a - b)
  return {
    operationId: id,
    summary: endpoint.summary,
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
            content: { 'application/json': { schema: described(endpoint.body, 'input', components) } },
          },
        }
      : {}),
    responses: {
      [endpoint.status]: success('Success'),
      ...(endpoint.also === undefined ? {} : { [endpoint.also]: success('Accepted, and still under way') }),
      ...Object.fromEntries(statuses.map(errorAnswer)),
    },
  }
}

export const apiVersion = '3.0.0'
export const release = '3.4.0'

/** The machine-readable description, made from the same table and schemas that route and validate. */
export const openapi = (baseUrl: string, origin: string): Json => {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const put = (prefix: string, id: string, endpoint: Endpoint, more: Json = {}) => {
    const path = prefix + endpoint.path.replace(/:([a-z0-9_]+)/g, '{$1}')
    paths[path] = { ...paths[path], ...more, [endpoint.method.toLowerCase()]: operationOf(id, endpoint, components) }
  }
  for (const [id, endpoint] of Object.entries(endpoints)) put('', id, endpoint)
  put('/v2', 'paymentMethodsV2', paymentMethodsV2, { servers: [{ url: origin }] })
  for (const schema of Object.values(named)) described(z.object({ one: schema }), 'output', components)
  return {
    openapi: '3.1.0',
    info: { title: 'Payments Service API', version: apiVersion, 'x-release': release },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The publishable API key.' },
        authorization: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The API key.' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization-Signature',
          description:
            'APIKey=<api key>,signature=<hex>,timestamp=<unix>: HMAC-SHA256 over METHOD + path + timestamp (the path without /v3 and query); body-signed operations append the hex SHA-256 of the body.',
        },
      },
    },
  }
}
