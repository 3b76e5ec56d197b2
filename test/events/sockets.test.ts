import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createHub, type Hub, orderTopic } from '../../server/events/hub.ts'
import { type Sockets, sockets } from '../../server/events/sockets.ts'
import { limiter } from '../../server/http/limits.ts'
import { signature } from '../support/client/client.ts'
import { connectSocket, openSocket } from '../support/client/socket.ts'
import { until } from '../support/wait.ts'

/** The /ws protocol in isolation, with fake timers. */

const keys = { apiKey: 'pk_a', secret: 'sk_a' }
const known = new Map([
  ['pk_a', { id: 'k_a', organizationId: 'org_a', isLive: true, secret: 'sk_a', isInternal: false }],
  ['pk_b', { id: 'k_b', organizationId: 'org_b', isLive: true, secret: 'sk_b', isInternal: false }],
])

const switchedOff = new Set<string>()

let server: Server
let hub: Hub
let live: Sockets
let baseUrl: string
let lookups: number
let slow: Promise<void> | undefined
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  server = createServer()
  hub = createHub()
  lookups = 0
  switchedOff.clear()
  slow = undefined
  live = sockets(server, {
    hub,
    keys: {
      find: async (apiKey) => known.get(apiKey),
      active: async (apiKeys) => new Set(apiKeys.filter((apiKey) => !switchedOff.has(apiKey))),
      flush: async () => undefined,
    },
    clock: Date.now,
    // The clock stands still, so a slow run is allowed no more misses than a fast one.
    misses: limiter({ perSecond: 0.5, burst: 30 }, () => 0),
    addressOf: () => 'here',
    isOrderOf: async (organizationId, orderId) => {
      lookups++
      await slow
      return organizationId === 'org_a' && orderId.startsWith('ord_a')
    },
    path: '/v3/ws',
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
})
afterEach(async () => {
  vi.useRealTimers()
  await live.close()
  hub.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const publish = (orderId: string, event = 'ORDER_COMPLETED', body = JSON.stringify({ event, order: { id: orderId } }), unsigned = false) =>
  hub.publish([{ seq: 1, orderId, organizationId: 'org_a', event, socketOnly: false, unsigned, deliveredAt: new Date(), body }])

test('default: connect, subscribe, receive, unsubscribe', async () => {
  const socket = await connectSocket(baseUrl, { apiKey: 'pk_a' })
  expect(socket.frames[0]).toEqual({ type: 'connected', data: { status: 'authenticated' } })
  expect(await socket.subscribe('ord_a1')).toEqual({
    type: 'subscription',
    data: { order_id: 'ord_a1', scope: 'order', status: 'subscribed' },
  })
  publish('ord_a1')
  publish('ord_a2')
  await until(() => socket.events.length === 1)
  expect(socket.events[0]).toBe('{"type":"event","data":{"event":"ORDER_COMPLETED","order":{"id":"ord_a1"}}}')
  socket.send({ type: 'unsubscribe', data: { order_id: 'ord_a1' } })
  expect(await socket.next((frame) => frame.data?.status === 'unsubscribed')).toEqual({
    type: 'subscription',
    data: { order_id: 'ord_a1', scope: 'order', status: 'unsubscribed' },
  })
  publish('ord_a1')
  socket.send({ type: 'subscribe', data: { order_id: 'ord_a2' } })
  await socket.next((frame) => frame.data?.order_id === 'ord_a2')
  expect(socket.events).toHaveLength(1)
})

test('behavior: only a signed connection may subscribe to the whole organisation', async () => {
  const unsigned = await connectSocket(baseUrl, { apiKey: 'pk_a' })
  expect(await unsigned.subscribe()).toMatchObject({ type: 'error', data: { code: 403 } })
  const signed = await connectSocket(baseUrl, keys)
  expect(await signed.subscribe()).toEqual({ type: 'subscription', data: { scope: 'organization', status: 'subscribed' } })
  const foreign = await connectSocket(baseUrl, { apiKey: 'pk_b', secret: 'sk_b' })
  await foreign.subscribe()
  publish('ord_a1')
  publish('ord_a2')
  await until(() => signed.events.length === 2)
  expect([unsigned.events.length, foreign.events.length]).toEqual([0, 0])
})

test('behavior: an order of another organisation and a missing one get the same answer', async () => {
  const socket = await connectSocket(baseUrl, { apiKey: 'pk_b', secret: 'sk_b' })
  const foreign = await socket.subscribe('ord_a1')
  const unknown = await socket.subscribe('ord_zz')
  expect(foreign).toEqual({ type: 'error', data: { code: 404, message: unknown.data?.message, order_id: 'ord_a1' } })
  publish('ord_a1')
  expect(socket.socket.readyState).toBe(WebSocket.OPEN)
})

test('behavior: an organisation’s subscription excludes unsigned orders unless requested, and one unsubscribe ends either kind', async () => {
  const socket = await connectSocket(baseUrl, keys)
  await socket.subscribe()
  publish('ord_a1', 'ORDER_CREATED', '{"order":"unsigned 1"}', true)
  socket.send({ type: 'subscribe', data: { include_unsigned: true } })
  await socket.next(({ type }) => type === 'subscription')
  publish('ord_a1', 'ORDER_CREATED', '{"order":"unsigned 2"}', true)
  publish('ord_a1', 'ORDER_CREATED', '{"order":"signed"}')
  await until(() => socket.events.length === 2)
  expect(socket.events.map((text) => (JSON.parse(text) as { data: { order: string } }).data.order)).toEqual(['unsigned 2', 'signed'])
  socket.send({ type: 'unsubscribe', data: {} })
  await socket.next(({ data }) => data?.status === 'unsubscribed')
  publish('ord_a1', 'ORDER_CREATED', '{"order":"unsigned 3"}', true)
  await socket.subscribe('ord_a1')
  publish('ord_a1')
  await until(() => socket.events.length === 3)
  expect(socket.events[2]).toContain('ORDER_COMPLETED')
})

const wrong: [string, Record<string, unknown>][] = [
  ['an unknown key', { api_key: 'pk_zz' }],
  ['no key', { api_key: '' }],
  ['a key with NUL', { api_key: 'pk\u0000' }],
  ['a signature of something else', { api_key: 'pk_a', authorization_signature: signature(keys, 'GET', '/orders') }],
  ['a signature with the prefix', { api_key: 'pk_a', authorization_signature: signature(keys, 'GET', '/v3/ws') }],
  [
    'a signature that is too old',
    { api_key: 'pk_a', authorization_signature: signature(keys, 'GET', '/ws', String(Math.floor(Date.now() / 1000) - 302)) },
  ],
  ['a signature by another key', { api_key: 'pk_b', authorization_signature: signature(keys, 'GET', '/ws') }],
  ['half a signature', { api_key: 'pk_a', authorization_signature: 'APIKey=pk_a' }],
]
test.each(wrong)('error: %s is 401 and 4401', async (_, data) => {
  const socket = await openSocket(baseUrl)
  socket.send({ type: 'connect', data })
  expect(await socket.next((frame) => frame.type === 'error')).toMatchObject({ data: { code: 401 } })
  expect(await socket.closed).toBe(4401)
})

test('error: any message before connect is 4401', async () => {
  const socket = await openSocket(baseUrl)
  socket.send({ type: 'subscribe', data: { order_id: 'ord_a1' } })
  expect(await socket.closed).toBe(4401)
  expect(lookups).toBe(0)
})

test('error: a silent connection closes with 4408 after ten seconds, a connected one does not', async () => {
  const [silent, connected] = [await openSocket(baseUrl), await connectSocket(baseUrl, keys)]
  vi.advanceTimersByTime(9_000)
  expect(silent.socket.readyState).toBe(WebSocket.OPEN)
  vi.advanceTimersByTime(2_000)
  expect(await silent.closed).toBe(4408)
  expect(connected.socket.readyState).toBe(WebSocket.OPEN)
})

test.each([
  '',
  'x',
  '[]',
  'null',
  '{"type":"dance"}',
  '{"type":"subscribe"}',
  '{"type":"subscribe","data":{"order_id":5}}',
  '{"type":"subscribe","data":{"order_id":"a b"}}',
  '{"type":"connect","data":{}}',
  `{"type":"connect","data":{"api_key":"${'x'.repeat(201)}"}}`,
])('error: %j is refused as a malformed frame, and the connection stays open', async (text) => {
  const socket = await connectSocket(baseUrl, keys)
  socket.socket.send(text)
  expect(await socket.next((frame) => frame.type === 'error')).toMatchObject({ data: { code: 400 } })
  expect((await socket.subscribe('ord_a1')).type).toBe('subscription')
})

test('error: a second connect is refused, and the first stays in force', async () => {
  const socket = await connectSocket(baseUrl, keys)
  socket.send({ type: 'connect', data: { api_key: 'pk_b' } })
  expect(await socket.next((frame) => frame.type === 'error')).toMatchObject({ data: { code: 409 } })
  expect((await socket.subscribe('ord_a1')).type).toBe('subscription')
})

test('error: a message over 4 KiB is 1009, a binary one 1003, the fifty-first subscription and a flood 1008', async () => {
  const [large, binary, many, flood] = await Promise.all([1, 2, 3, 4].map(() => connectSocket(baseUrl, keys)))
  large!.socket.send(JSON.stringify({ type: 'subscribe', data: { order_id: 'ord_a1', x: 'x'.repeat(4_096) } }))
  expect(await large!.closed).toBe(1009)
  binary!.socket.send(Buffer.from('{"type":"subscribe","data":{}}'))
  expect(await binary!.closed).toBe(1003)
  for (let i = 0; i < 50; i++) expect((await many!.subscribe(`ord_a${i}`)).type).toBe('subscription')
  many!.send({ type: 'unsubscribe', data: { order_id: 'ord_a0' } })
  expect((await many!.subscribe('ord_a50')).type).toBe('subscription')
  many!.send({ type: 'subscribe', data: { order_id: 'ord_a51' } })
  expect(await many!.closed).toBe(1008)
  for (let i = 0; i < 250; i++) flood!.send({ type: 'unsubscribe', data: { order_id: 'ord_a1' } })
  expect(await flood!.closed).toBe(1008)
})

test('behavior: subscribing twice to one order is one subscription', async () => {
  const socket = await connectSocket(baseUrl, keys)
  for (let i = 0; i < 60; i++) expect((await socket.subscribe('ord_a1')).type).toBe('subscription')
  publish('ord_a1')
  await until(() => socket.events.length > 0)
  expect(socket.events).toHaveLength(1)
})

test('behavior: a slow reader is closed with 1013, and the others do not wait', async () => {
  const [reader, other] = [await connectSocket(baseUrl, keys), await connectSocket(baseUrl, keys)]
  await Promise.all([reader.subscribe('ord_a1'), other.subscribe('ord_a1')])
  reader.socket.pause()
  const body = JSON.stringify({ event: 'ORDER_CONFIRMING', filler: 'x'.repeat(100_000) })
  // The other connection reads each event before the next, or it would be a slow reader too.
  for (let sent = 1; live.count() === 2; sent++) {
    publish('ord_a1', 'ORDER_CONFIRMING', body)
    await until(() => other.events.length === sent, { every: 1 })
  }
  reader.socket.resume()
  expect(await reader.closed).toBe(1013)
  const before = other.events.length
  publish('ord_a1', 'ORDER_COMPLETED')
  await until(() => other.events.length > before && other.events.at(-1)!.includes('ORDER_COMPLETED'))
})

test('behavior: a ping every 25 s of both kinds, and a client that misses two is dropped', async () => {
  const good = await connectSocket(baseUrl, keys)
  const unresponsive = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws`, { autoPong: false })
  await new Promise((resolve) => unresponsive.once('open', resolve))
  unresponsive.send(JSON.stringify({ type: 'connect', data: { api_key: 'pk_a' } }))
  await new Promise((resolve) => unresponsive.once('message', resolve))
  let protocolPings = 0
  good.socket.on('ping', () => protocolPings++)
  const gone = new Promise<number>((resolve) => unresponsive.once('close', resolve))
  for (let minute = 1; minute <= 3; minute++) {
    for (let second = 0; second < 25; second++) vi.advanceTimersByTime(1_000)
    await until(() => protocolPings === minute && good.frames.filter(({ type }) => type === 'ping').length === minute)
    // The pong has to arrive before the clock advances.
    await good.subscribe(`ord_a${minute}`)
  }
  expect(await gone).toBe(1006)
  expect(good.frames.filter(({ type }) => type === 'ping')).toEqual(Array.from({ length: 3 }, () => ({ type: 'ping' })))
  await until(() => live.count() === 1)
})

test('behavior: a client that disconnects during the look-up is not subscribed', async () => {
  const socket = await connectSocket(baseUrl, keys)
  let go = (): void => undefined
  slow = new Promise((resolve) => (go = resolve))
  socket.send({ type: 'subscribe', data: { order_id: 'ord_a1' } })
  await until(() => lookups === 1)
  socket.socket.terminate()
  await until(() => live.count() === 0)
  const added = vi.spyOn(hub, 'add')
  go()
  await new Promise((resolve) => setImmediate(resolve))
  expect(added).not.toHaveBeenCalledWith(orderTopic('ord_a1'), expect.anything())
})

test('behavior: wrong order ids are limited to thirty a minute, and valid ones still work', async () => {
  const socket = await connectSocket(baseUrl, keys)
  const codes: (number | undefined)[] = []
  for (let i = 0; i < 40; i++) codes.push((await socket.subscribe(`ord_zz${i}`)).data?.code)
  expect(codes).toEqual(Array.from({ length: 40 }, (_, i) => (i < 30 ? 404 : 429)))
  expect((await socket.subscribe('ord_a1')).type).toBe('subscription')
  expect((await (await connectSocket(baseUrl, keys)).subscribe('ord_a2')).type).toBe('subscription')
})

test('behavior: another path is 404, and a shutdown closes with 1001', async () => {
  await expect(openSocket(baseUrl.replace('/v3', '/v2'))).rejects.toThrow(/404/)
  const all = await Promise.all([connectSocket(baseUrl, keys), openSocket(baseUrl)])
  await live.close()
  expect(await Promise.all(all.map((socket) => socket.closed))).toEqual([1001, 1001])
})

test('behavior: a connection ends within 30 s after its key was switched off, whether it follows the organisation or one order', async () => {
  const all = await connectSocket(baseUrl, keys)
  await all.subscribe(undefined)
  const socket = await connectSocket(baseUrl, { apiKey: 'pk_a' })
  await socket.subscribe('ord_a1')
  const other = await connectSocket(baseUrl, { apiKey: 'pk_b' })
  publish('ord_a1')
  await until(() => all.events.length === 1 && socket.events.length === 1)
  switchedOff.add('pk_a')
  vi.advanceTimersByTime(30_000)
  expect(await Promise.all([all.closed, socket.closed])).toEqual([4401, 4401])
  publish('ord_a1')
  expect([all.events.length, socket.events.length]).toEqual([1, 1])
  await until(() => live.count() === 1)
  expect(other.frames.at(-1)).not.toMatchObject({ type: 'error' })
})
