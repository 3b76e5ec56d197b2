import * as z from 'zod/mini'
import { OrderRead } from './order-read.ts'
import { Id } from './scalars.ts'

/**
 * The messages at `{base_url}/ws`. The server accepts only these from a client; the page drops any that it does not know from the server.
 */
export const ClientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('connect'),
    data: z.object({
      api_key: z.string().check(z.maxLength(200)),
      authorization_signature: z.optional(z.string().check(z.maxLength(600))),
    }),
  }),
  /** With `include_unsigned`, an organisation also receives events of orders that were made with the publishable key alone. */
  z.object({ type: z.literal('subscribe'), data: z.object({ order_id: z.optional(Id), include_unsigned: z.optional(z.boolean()) }) }),
  z.object({ type: z.literal('unsubscribe'), data: z.object({ order_id: z.optional(Id) }) }),
])
export type ClientFrame = z.infer<typeof ClientFrame>

/** What the page reads. Its reader drops a message of an unknown type. It is a plain union to keep the page's script small. */
export const ServerFrameRead = z.union([
  z.object({ type: z.literal('connected') }),
  z.object({ type: z.literal('subscription'), data: z.object({ order_id: z.optional(z.string()), status: z.string() }) }),
  z.object({ type: z.literal('event'), data: z.object({ event: z.string(), order: OrderRead }) }),
  z.object({
    type: z.literal('error'),
    data: z.object({ code: z.catch(z.optional(z.int()), undefined), message: z.catch(z.optional(z.string()), undefined) }),
  }),
  z.object({ type: z.literal('ping') }),
])
export type ServerFrameRead = z.infer<typeof ServerFrameRead>

export const socketLimits = {
  connectWithinMs: 10_000,
  pingEveryMs: 25_000,
  /** Keys are checked this often, so a connection outlives its key by at most this and the time that the database takes to answer. */
  checkKeysEveryMs: 10_000,
  frameBytes: 4096,
  subscriptions: 50,
  waitingBytes: 1_048_576,
} as const

export const socketClose = { shuttingDown: 1001, policy: 1008, tooBig: 1009, tryLater: 1013, unauthorized: 4401, tooSlow: 4408 } as const
