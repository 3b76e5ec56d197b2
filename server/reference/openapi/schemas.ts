import * as z from 'zod/mini'
import { Amount, FeeBalance } from '../../../src/wire/amount.ts'
import { ApiKey } from '../../../src/wire/api-key.ts'
import { BankOnrampDeposit, BankOnrampDepositStatus, OnrampDestination, OnrampSettlement } from '../../../src/wire/bank.ts'
import { ChainId } from '../../../src/wire/chain.ts'
import { Currency, CurrencyBase, FiatCurrency } from '../../../src/wire/currency.ts'
import { Delivery, DeliveryAttempt, DeliveryState, EventList, ListedEvent, TestDelivery } from '../../../src/wire/delivery.ts'
import { ErrorResponse } from '../../../src/wire/error.ts'
import { EventEnvelope, OrderEvent } from '../../../src/wire/event.ts'
import { GuardMove } from '../../../src/wire/guard-move.ts'
import { Invoice, InvoiceData, InvoiceStatus } from '../../../src/wire/invoice.ts'
import { EmailChallenge, OffRampVerification } from '../../../src/wire/off-ramp.ts'
import {
  Fulfillment,
  Funding,
  FundingTransaction,
  Order,
  OrderMetadata,
  OrderMode,
  OrderSettings,
  OrderStatus,
  Payment,
  PaymentStep,
} from '../../../src/wire/order.ts'
import { Pagination } from '../../../src/wire/pagination.ts'
import { PaymentMethod, PaymentMethodList } from '../../../src/wire/payment-methods.ts'
import { Breakdown, Quote, QuoteInput, QuoteOutput, SwapQuoteResponse, TradeType } from '../../../src/wire/quote.ts'
import { Webhook } from '../../../src/wire/webhook.ts'
import { PaymentPayload, PaymentRequired, PaymentResponse } from '../../../src/wire/x402.ts'
import { schemaDescriptions } from './descriptions.ts'

export type Json = Record<string, unknown>

/** These lists of values are the same in requests and in responses. */
const lists = {
  BankOnrampDepositStatus,
  ChainID: ChainId,
  DeliveryState,
  FiatCurrency,
  OrderEvent,
  OrderMode,
  OrderStatus,
  TradeType,
} as const

const answers = {
  Amount,
  ApiKey,
  BankOnrampDeposit,
  Breakdown,
  Currency,
  CurrencyBase,
  Delivery,
  DeliveryAttempt,
  EmailChallenge,
  ErrorResponse,
  EventEnvelope,
  EventList,
  FeeBalance,
  Fulfillment,
  Funding,
  FundingTransaction,
  GuardMove,
  Invoice,
  InvoiceData,
  InvoiceStatus,
  ListedEvent,
  OffRampVerification,
  OnrampDestination,
  OnrampSettlement,
  Order,
  OrderMetadata,
  OrderSettings,
  Pagination,
  Payment,
  PaymentMethod,
  PaymentMethodList,
  PaymentPayload,
  PaymentRequired,
  PaymentResponse,
  PaymentStep,
  Quote,
  QuoteInput,
  QuoteOutput,
  SwapQuoteResponse,
  TestDelivery,
  Webhook,
} as const

type Io = 'input' | 'output'

/** Responses may gain members and requests allow no unknown ones, so an object in both is named in responses and inline in requests. */
const registries: Readonly<Record<Io, ReturnType<typeof z.registry<{ id: string }>>>> = { input: z.registry(), output: z.registry() }
for (const [id, schema] of Object.entries(lists)) for (const registry of Object.values(registries)) registry.add(schema, { id })
for (const [id, schema] of Object.entries(answers)) registries.output.add(schema, { id })

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** These keywords belong to a standalone document, and not to a schema inside ours. */
const ofDocuments: readonly string[] = ['$schema', '$defs', 'id', '~standard']

/** Points references into our components. Names under `properties` are members of a payload and not keywords, so a member `id` stays. */
function relocated(schema: unknown, io: Io, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => relocated(part, io))
  if (!isObject(schema)) return schema
  const entries = Object.entries(areNames ? schema : exact(schema, io)).filter(([key]) => areNames || !ofDocuments.includes(key))
  return Object.fromEntries(
    entries.map(([key, part]) => [
      key,
      !areNames && key === '$ref' && typeof part === 'string'
        ? part.replace('#/$defs/', '#/components/schemas/')
        : relocated(part, io, !areNames && key === 'properties'),
    ]),
  )
}

/** Describes integers as 64-bit for code generators, and lets responses have more members. */
function exact(schema: Json, io: Io): Json {
  const { additionalProperties, minimum, maximum, ...rest } = schema
  const isList = Array.isArray(schema.enum) && schema.enum.every(Number.isInteger)
  const isWhole = schema.type === 'integer' || isList
  return {
    ...rest,
    ...(isWhole ? { type: 'integer', format: 'int64' } : {}),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(additionalProperties === undefined || (io === 'output' && additionalProperties === false) ? {} : { additionalProperties }),
  }
}

export function withDescriptions(schema: Json, name: string): Json {
  const { about, members } = schemaDescriptions[name] ?? {}
  const properties = isObject(schema.properties)
    ? Object.fromEntries(
        Object.entries(schema.properties).map(([member, part]) => [
          member,
          isObject(part) && members?.[member] !== undefined ? { ...part, description: members[member] } : part,
        ]),
      )
    : undefined
  return { ...(about === undefined ? {} : { description: about }), ...schema, ...(properties ? { properties } : {}) }
}

/** Converts a schema to JSON Schema 2020-12, and adds the types that it refers to to `components`. */
export function described(schema: z.ZodMiniType, io: Io, components: Json): Json {
  const document: unknown = z.toJSONSchema(schema, { io, metadata: registries[io], unrepresentable: 'any' })
  if (!isObject(document)) return {}
  const definitions = isObject(document.$defs) ? document.$defs : {}
  for (const [name, definition] of Object.entries(definitions)) {
    const moved = relocated(definition, io)
    if (isObject(moved)) components[name] ??= withDescriptions(moved, name)
  }
  const moved = relocated(document, io)
  return isObject(moved) ? moved : {}
}

export function describeAll(components: Json): void {
  for (const schema of Object.values({ ...lists, ...answers })) described(z.object({ named: schema }), 'output', components)
}
