import { WebSocket } from 'ws'
import type { Fixture, Server } from './fixture.ts'

export interface EventListener {
  /** Resolves with the time at which the order's event arrived. */
  next(id: string): Promise<number>
  close(): void
}

export function eventListener(socket: WebSocket, idOf: (text: string) => string | undefined): EventListener {
  const waiting = new Map<string, (at: number) => void>()
  socket.on('message', (data: Buffer) => {
    const id = idOf(data.toString())
    if (id !== undefined) waiting.get(id)?.(performance.now())
  })
  return { next: (id) => new Promise((resolve) => waiting.set(id, resolve)), close: () => socket.terminate() }
}

/** Opens a socket that gets all events of the organization. */
export async function organizationSocket({ apiKey, signed }: Fixture, { baseUrl }: Server): Promise<WebSocket> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws`)
  await new Promise((resolve) => socket.once('open', resolve))
  const subscribed = new Promise((resolve) => socket.on('message', (data: Buffer) => data.includes('"subscribed"') && resolve(undefined)))
  const signature = signed('GET', '/ws')['authorization-signature']
  socket.send(JSON.stringify({ type: 'connect', data: { api_key: apiKey, authorization_signature: signature } }))
  socket.send(JSON.stringify({ type: 'subscribe', data: {} }))
  await subscribed
  return socket
}

export async function organizationListener(fixture: Fixture, server: Server): Promise<EventListener> {
  return eventListener(
    await organizationSocket(fixture, server),
    (text) => /"event":"ORDER_AWAITING_PAYMENT".*?"order":\{"id":"([^"]+)"/.exec(text)?.[1],
  )
}
