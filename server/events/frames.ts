import { safeParse } from 'zod/mini'
import { ClientFrame } from '../../src/wire/socket.ts'

const frame = (value: unknown): string => JSON.stringify(value)

export const connectedFrame = frame({ type: 'connected', data: { status: 'authenticated' } })

export const pingFrame = Buffer.from(frame({ type: 'ping' }))

export const failure = (code: number, message: string, orderId?: string): string =>
  frame({ type: 'error', data: { code, message, ...(orderId ? { order_id: orderId } : {}) } })

/** A subscription without an order is to the whole organisation. */
export const subscription = (orderId: string | undefined, status: 'subscribed' | 'unsubscribed'): string =>
  frame({
    type: 'subscription',
    data: orderId === undefined ? { scope: 'organization', status } : { order_id: orderId, scope: 'order', status },
  })

export const parseFrame = (text: string): ClientFrame | undefined => safeParse(ClientFrame, json(text)).data

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
