import { WebSocket } from 'ws'
import type { EventEnvelope } from '../../../src/wire/event.ts'
import { type Keys, signature } from './client.ts'
import { until } from '../wait.ts'

/** One connection to {base_url}/ws that records every frame. */
export interface Socket {
  readonly socket: WebSocket
  readonly frames: readonly Frame[]
  /** The raw texts of event frames. */
  readonly events: readonly string[]
  /** Resolves to the close code. */
  readonly closed: Promise<number>
  send(frame: unknown): void
  /** Resolves to the first matching frame that an earlier call has not returned. */
  next(fits: (frame: Frame) => boolean): Promise<Frame>
  subscribe(orderId?: string): Promise<Frame>
  close(): Promise<number>
}

export interface Frame {
  readonly type: string
  readonly data?: Partial<EventEnvelope> & {
    readonly code?: number
    readonly message?: string
    readonly order_id?: string
    readonly scope?: string
    readonly status?: string
  }
}

export async function openSocket(baseUrl: string, headers?: Record<string, string>): Promise<Socket> {
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/ws`, { headers })
  const frames: Frame[] = []
  const events: string[] = []
  const taken = new Set<Frame>()
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    const frame = JSON.parse(text) as Frame
    frames.push(frame)
    if (frame.type === 'event') events.push(text)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => undefined)
  const send = (frame: unknown) => socket.send(JSON.stringify(frame))
  const next: Socket['next'] = async (fits) => {
    const found = await until(() => frames.find((frame) => !taken.has(frame) && fits(frame)), {
      every: 2,
      what: `a frame like ${fits.toString()} among ${JSON.stringify(frames).slice(0, 1_000)}`,
    })
    taken.add(found)
    return found
  }
  return {
    socket,
    frames,
    events,
    closed,
    send,
    next,
    subscribe: (orderId) => {
      send({ type: 'subscribe', data: orderId === undefined ? {} : { order_id: orderId } })
      return next((frame) => (frame.type === 'subscription' || frame.type === 'error') && frame.data?.order_id === orderId)
    },
    close: () => {
      socket.close()
      return closed
    },
  }
}

/** Opens an authenticated connection, which is signed when a secret is given. */
export async function connectSocket(baseUrl: string, { apiKey, secret }: { apiKey: string; secret?: string }): Promise<Socket> {
  const opened = await openSocket(baseUrl)
  const proof = secret === undefined ? {} : { authorization_signature: signature({ apiKey, secret } satisfies Keys, 'GET', '/ws') }
  opened.send({ type: 'connect', data: { api_key: apiKey, ...proof } })
  await opened.next((frame) => frame.type === 'connected')
  return opened
}
