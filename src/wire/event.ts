import * as z from 'zod/mini'
import { Order } from './order.ts'
import { DateTime } from './scalars.ts'

export const orderEvents = [
  'ORDER_CREATED',
  'ORDER_AWAITING_PAYMENT',
  'ORDER_CONFIRMING',
  'ORDER_PARTIAL_PAYMENT',
  'ORDER_EXECUTING',
  'ORDER_COMPLETED',
  'ORDER_EXPIRED',
  'ORDER_ERROR',
  'ORDER_REFUNDED',
] as const
export const OrderEvent = z.enum(orderEvents)
export type OrderEvent = z.infer<typeof OrderEvent>

/** Webhooks get an event as their body and sockets get it as `data`, both with the same bytes. */
export const EventEnvelope = z.object({ event: OrderEvent, delivered_at: DateTime, order: Order })
export type EventEnvelope = z.infer<typeof EventEnvelope>
