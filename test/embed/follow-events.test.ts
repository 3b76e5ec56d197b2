import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { followEvents } from '../../embed/command/follow-events.ts'
import { until } from '../support/wait.ts'

/** A service that the test plays, frame by frame. */
let server: Server
let sockets: WebSocketServer
let connections: { socket: WebSocket; received: { type: string; data: Record<string, unknown> }[] }[]
let stopping: AbortController
let seen: string[]

beforeEach(async () => {
  server = createServer()
  sockets = new WebSocketServer({ server, path: '/v3/ws' })
  connections = []
  seen = []
  stopping = new AbortController()
  sockets.on('connection', (socket) => {
    const connection: (typeof connections)[number] = { socket, received: [] }
    socket.on('message', (bytes) => connection.received.push(JSON.parse(String(bytes)) as (typeof connection.received)[number]))
    connections.push(connection)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  stopping.abort()
  for (const { socket } of connections) socket.terminate()
  sockets.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const follow = () =>
  followEvents({
    service: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'pk_1', apiSecret: 'sk_1' },
    signal: stopping.signal,
    onEvent: ({ event, orderId }) => seen.push(`${event} ${orderId}`),
    onSubscribed: (isAgain) => seen.push(isAgain ? 'again' : 'first'),
    onLost: (reason) => seen.push(`lost: ${reason}`),
  })
const send = (socket: WebSocket, type: string, data: object = {}) => socket.send(JSON.stringify({ type, data }))

/** Accepts the newest connection, as a service does. */
async function accept(count: number): Promise<WebSocket> {
  const { socket, received } = await until(() => connections[count - 1])
  await until(() => received.length === 1)
  expect(received[0]).toMatchObject({
    type: 'connect',
    data: { api_key: 'pk_1', authorization_signature: expect.stringMatching(/^APIKey=pk_1,signature=[0-9a-f]{64},timestamp=\d+$/) },
  })
  send(socket, 'connected', { status: 'authenticated' })
  await until(() => received.length === 2)
  expect(received[1]).toEqual({ type: 'subscribe', data: {} })
  send(socket, 'subscription', { scope: 'organization', status: 'subscribed' })
  return socket
}

test('default: connects, subscribes, and does so again when the connection is lost', async () => {
  const done = follow()
  const first = await accept(1)
  send(first, 'ping')
  send(first, 'something newer')
  first.send('no frame')
  send(first, 'event', { event: 'ORDER_CREATED', delivered_at: '2026-11-25T10:00:00Z', order: { id: 'ord_1', status: 'PENDING' } })
  await until(() => seen.length === 2)
  first.terminate()
  const second = await accept(2)
  send(second, 'event', { event: 'ORDER_EXPIRED', delivered_at: '2026-11-25T10:30:00Z', order: { id: 'ord_1', status: 'EXPIRED' } })
  await until(() => seen.length === 5)
  expect(seen).toEqual(['first', 'ORDER_CREATED ord_1', 'lost: closed with 1006', 'again', 'ORDER_EXPIRED ord_1'])
  stopping.abort()
  await done
})

test('error: a key that the service refuses is not tried again', async () => {
  const done = follow()
  const { socket } = await until(() => connections[0])
  send(socket, 'error', { code: 401, message: 'The signature is wrong.' })
  socket.close(4401)
  await expect(done).rejects.toThrow(/refused the key: The signature is wrong\. Compare TILL_API_KEY/)
  expect(connections).toHaveLength(1)
})

test('behavior: an interrupted wait for the next attempt ends at once', async () => {
  const done = follow()
  const socket = await accept(1)
  socket.close(1001)
  await until(() => seen.includes('lost: closed with 1001'))
  stopping.abort()
  await done
  expect(connections).toHaveLength(1)
})
