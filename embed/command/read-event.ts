import { isObject, isText, parseJson } from './json.ts'

/** An event of an order. `body` has the bytes that a webhook would get. */
export interface OrderEvent {
  readonly event: string
  readonly deliveredAt: string
  readonly orderId: string
  readonly status: string
  readonly order: Readonly<Record<string, unknown>>
  readonly body: string
}

export type Frame =
  | { readonly type: 'connected' }
  | { readonly type: 'subscribed' }
  | { readonly type: 'event'; readonly event: OrderEvent }
  | { readonly type: 'error'; readonly code: number | undefined; readonly message: string }
  /** A ping, or something newer than this command. */
  | { readonly type: 'other' }

const before = '{"type":"event","data":'

export function readFrame(text: string): Frame {
  const frame = parseJson(text)
  if (!isObject(frame)) return { type: 'other' }
  const data = isObject(frame.data) ? frame.data : {}
  switch (frame.type) {
    case 'connected':
      return { type: 'connected' }
    case 'subscription':
      return { type: data.status === 'subscribed' ? 'subscribed' : 'other' }
    case 'error':
      return {
        type: 'error',
        code: typeof data.code === 'number' ? data.code : undefined,
        message: isText(data.message) ? data.message : '',
      }
    case 'event': {
      const { event, delivered_at: deliveredAt, order } = data
      if (!isText(event) || !isText(deliveredAt) || !isObject(order) || !isText(order.id) || !isText(order.status)) return { type: 'other' }
      // The service's own bytes, as a webhook signs them, wherever they can be cut out of the frame.
      const body = text.startsWith(before) && text.endsWith('}') ? text.slice(before.length, -1) : JSON.stringify(data)
      return { type: 'event', event: { event, deliveredAt, orderId: order.id, status: order.status, order, body } }
    }
    default:
      return { type: 'other' }
  }
}

/** An event in a line: when, what, and of which order. */
export const eventLine = ({ event, deliveredAt, orderId }: OrderEvent, more = ''): string =>
  `${deliveredAt.slice(11, 19)}  ${event.padEnd(22)}  ${orderId}${more}`
