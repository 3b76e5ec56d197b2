import * as z from 'zod/mini'
import { OrderRead } from './order-read.ts'
import { Id, IntegerRead } from './scalars.ts'

/** Clients send these messages to `{base_url}/ws`. The server refuses any other. */
export const ClientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('connect'),
    data: z.object({
      api_key: z.string().check(z.maxLength(200)),
      authorization_signature: z.optional(z.string().check(z.maxLength(600))),
    }),
  }),
  /** With `include_unsigned`, a merchant also receives events of orders that were made with the publishable key alone. */
  z.object({ type: z.literal('subscribe'), data: z.object({ order_id: z.optional(Id), include_unsigned: z.optional(z.boolean()) }) }),
  z.object({ type: z.literal('unsubscribe'), data: z.object({ order_id: z.optional(Id) }) }),
])
export type ClientFrame = z.infer<typeof ClientFrame>

/** The page ignores messages of other types. A plain union needs less code in the page than a discriminated one. */
export const ServerFrameRead = z.union([
  z.object({ type: z.literal('connected') }),
  z.object({ type: z.literal('subscription'), data: z.object({ order_id: z.optional(z.string()), status: z.string() }) }),
  z.object({ type: z.literal('event'), data: z.object({ event: z.string(), order: OrderRead }) }),
  z.object({
    type: z.literal('error'),
    data: z.object({ code: z.catch(z.optional(IntegerRead), undefined), message: z.catch(z.optional(z.string()), undefined) }),
  }),
  z.object({ type: z.literal('ping') }),
])
export type ServerFrameRead = z.infer<typeof ServerFrameRead>

export const socketLimits = {
  connectWithinMs: 10_000,
  pingEveryMs: 25_000,
  /** A connection can outlive its revoked key by at most this time plus the duration of the database query, if that succeeds. */
  checkKeysEveryMs: 10_000,
  frameBytes: 4096,
  subscriptions: 50,
  waitingBytes: 1_048_576,
} as const

export const socketClose = { shuttingDown: 1001, policy: 1008, tooBig: 1009, tryLater: 1013, unauthorized: 4401, tooSlow: 4408 } as const
