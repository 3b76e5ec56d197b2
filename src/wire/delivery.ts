import * as z from 'zod/mini'
import { EventEnvelope, OrderEvent } from './event.ts'
import { PageQuery, Pagination, queryInteger } from './pagination.ts'
import { DateTime, Id } from './scalars.ts'

export const DeliveryState = z.enum(['waiting', 'delivered', 'failed'])
export type DeliveryState = z.infer<typeof DeliveryState>

/** `status` is absent when the receiver did not answer, and `error` when it accepted. */
export const DeliveryAttempt = z.object({ at: DateTime, status: z.optional(z.int()), ms: z.int(), error: z.optional(z.string()) })
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

/** `body` has the exact text that is sent and signed, and `id` is what `Till-Webhook-Id` contains. */
export const Delivery = z.object({
  id: z.string(),
  event: OrderEvent,
  order_id: z.string(),
  state: DeliveryState,
  created_at: DateTime,
  next_attempt_at: z.optional(DateTime),
  attempts: z.array(DeliveryAttempt),
  body: z.string(),
})
export type Delivery = z.infer<typeof Delivery>

export const DeliveryList = z.object({ data: z.array(Delivery), pagination: Pagination })
export const DeliveryListQuery = z.extend(PageQuery, { state: z.optional(DeliveryState), order_id: z.optional(Id) })
export const DeliveryPath = z.object({ webhook_id: Id, delivery_id: Id })

/** What became of a delivery of an example, which is sent once and not stored. */
export const TestDelivery = z.object({ id: z.string(), delivered: z.boolean(), attempt: DeliveryAttempt, body: z.string() })
export type TestDelivery = z.infer<typeof TestDelivery>

export const ListedEvent = z.extend(EventEnvelope, { id: z.string() })
export type ListedEvent = z.infer<typeof ListedEvent>

/** With `has_more` the next page is `after` the last event of this one. */
export const EventList = z.object({ data: z.array(ListedEvent), has_more: z.boolean() })
export const EventListQuery = z.object({
  order_id: z.optional(Id),
  event: z.optional(OrderEvent),
  after: z.optional(Id),
  include_unsigned: z.optional(
    z.pipe(
      z.enum(['true', 'false']),
      z.transform((text) => text === 'true'),
    ),
  ),
  limit: z.prefault(queryInteger(1, 100), '20'),
})
