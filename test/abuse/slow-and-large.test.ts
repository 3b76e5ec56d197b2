import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Client } from '../support/client/client.ts'
import { full } from '../support/full.ts'
import { connectSocket, openSocket, type Socket } from '../support/client/socket.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'
import { type Connection, openConnection, statusOf } from './wire.ts'

/** Slow, large and numerous requests against the built service, which must keep serving well-behaved clients. */

const perAddress = 40
let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
let orderId: string
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  ;[process, merchant] = await Promise.all([
    stage.start({ TRUSTED_PROXIES: '127.0.0.1/32', CONNECTIONS_PER_ADDRESS: String(perAddress) }),
    stage.merchant(),
  ])
  client = merchant.at(process)
})
beforeEach(async () => {
  orderId = (await client.ask('createOrder', { body: { mode: 'SALE', amount: '1', fiat_unit: 'usd' } })).id
})
afterAll(async () => {
  const output = process?.service.output() ?? ''
  await stage?.close()
  expect(output).not.toMatch(/"level":(50|60)/)
})

/** Loads the page and the order and opens a socket, as a payer does. */
async function isHealthy() {
  const page = await fetch(`${process.service.payUrl}/pay/${orderId}`)
  expect([page.status, (await page.text()).slice(0, 15)]).toEqual([200, '<!doctype html>'])
  expect((await client.ask('getOrder', { params: { order_id: orderId } })).id).toBe(orderId)
  const live = await connectSocket(process.baseUrl, { apiKey: merchant.keys.apiKey })
  expect((await live.subscribe(orderId)).type).toBe('subscription')
  await live.close()
}

const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** A body has half a minute to arrive, headers have a third of that. */
const kinds = full ? 3 : 2

test('error: slow and silent clients are cut off with 408', async () => {
  const post = ['POST /v3/orders HTTP/1.1', 'Host: till', 'Content-Type: application/json', `X-API-KEY: ${merchant.keys.apiKey}`]
  const starts = ['', 'GET /v3/orders HTTP/1.1\r\nHost: till\r\nX-Slow: ', `${[...post, 'Content-Length: 5000'].join('\r\n')}\r\n\r\n{`]
  const connections = await many(90, async (index) => {
    const connection = await openConnection(process.baseUrl)
    connection.write(starts[index % kinds]!)
    return connection
  })
  const drip = setInterval(
    () => connections.forEach(({ socket }, index) => index % kinds !== 0 && socket.writable && socket.write('x')),
    500,
  )
  try {
    await isHealthy()
    const received = await Promise.all(connections.map((connection) => connection.gone))
    for (const [index, text] of received.entries()) if (index % kinds !== 0 || text !== '') expect(statusOf(text)).toBe(408)
    await isHealthy()
  } finally {
    clearInterval(drip)
    connections.forEach((connection) => connection.close())
  }
})

test('error: a refused caller that keeps its connection open is disconnected', async () => {
  const upgrade = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: till\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
  const connections = await many(60, async (index) => {
    const connection = await openConnection(process.baseUrl)
    connection.write([upgrade('/v3/nowhere'), 'NONSENSE\r\n\r\n', upgrade('/v3/ws').replace('13', '7')][index % 3]!)
    return connection
  })
  const received = await Promise.all(connections.map((connection) => connection.gone))
  for (const [index, text] of received.entries()) expect(statusOf(text)).toBe([404, 400, 400][index % 3])
  await isHealthy()
})

test('error: a form body has the same size limit as any other', async () => {
  const form = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(`${process.service.payUrl}/pay/${orderId}`, { method: 'POST', body, headers: { 'content-type': type }, redirect: 'manual' })
  expect((await form(`act=find&typed=${'x'.repeat(70_000)}`)).status).toBe(413)
  expect(
    (await form(`--b\r\nContent-Disposition: form-data; name="act"\r\n\r\nfind\r\n--b--`, 'multipart/form-data; boundary=b')).status,
  ).toBe(200)
  // A body without an end is refused or cut off, so the service never buffers all of it.
  const connection = await openConnection(process.baseUrl)
  connection.write(
    `POST /pay/${orderId} HTTP/1.1\r\nHost: till\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  const piece = `8000\r\n${'x'.repeat(0x8000)}\r\n`
  for (let sent = 0; sent < 100 && connection.received() === ''; sent++) {
    connection.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => connection.received().startsWith('HTTP/1.1 413'))
  connection.close()
  await isHealthy()
})

test('error: clients that read nothing of a large answer delay nobody', async () => {
  const connections = await many(100, async () => {
    const connection = await openConnection(process.baseUrl)
    connection.socket.pause()
    connection.write(`${`GET /v3/openapi.json HTTP/1.1\r\nHost: till\r\n\r\n`.repeat(20)}`)
    return connection
  })
  await isHealthy()
  connections.forEach((connection) => connection.close())
  await isHealthy()
})

test('error: sockets that flood with frames or pings are closed with 1008, oversized frames with 1009', async () => {
  const open = () => connectSocket(process.baseUrl, { apiKey: merchant.keys.apiKey })
  const [frames, pings, pongs, large] = await Promise.all([open(), open(), open(), open()])
  for (let index = 0; index < 2_000; index++) {
    frames.socket.send('{"type":"subscribe","data":{}}')
    pings.socket.ping('x'.repeat(125))
    pongs.socket.pong('x'.repeat(125))
  }
  large.socket.send('x'.repeat(4_097))
  expect(await Promise.all([frames, pongs, large].map((socket) => socket.closed))).toEqual([1008, 1008, 1009])
  // The WebSocket library closes without a code when too many pongs are queued.
  expect([1006, 1008]).toContain(await pings.closed)
  await isHealthy()
})

test('error: sockets per address are limited, and another address is unaffected', async () => {
  /** Connects as well, because a silent socket is closed after ten seconds. */
  const from = async (address: string) => {
    const opened = await openSocket(process.baseUrl, { 'x-forwarded-for': address })
    opened.send({ type: 'connect', data: { api_key: merchant.keys.apiKey } })
    await opened.next((frame) => frame.type === 'connected')
    return opened
  }
  const held: Socket[] = await many(perAddress, () => from('198.51.100.9'))
  await expect(from('198.51.100.9')).rejects.toThrow(/429/)
  // Entries of X-Forwarded-For before the trusted proxy's are ignored.
  await expect(from('203.0.113.5, 198.51.100.9')).rejects.toThrow(/429/)
  const other = await from('198.51.100.10')
  await held[0]!.close()
  const next = await until(() => from('198.51.100.9').catch(() => undefined))
  expect(next.socket.readyState).toBe(WebSocket.OPEN)
  await Promise.all([...held.slice(1), other, next].map((socket) => socket.close()))
  await isHealthy()
})

test('error: half a handshake, and a handshake with a frame attached, are handled', async () => {
  const key = randomBytes(16).toString('base64')
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const connection: Connection = await openConnection(process.baseUrl)
  const hello = JSON.stringify({ type: 'subscribe', data: { order_id: orderId } })
  const mask = Buffer.from([1, 2, 3, 4])
  const masked = Buffer.from(hello).map((byte, index) => byte ^ mask[index % 4]!)
  connection.write(
    Buffer.concat([
      Buffer.from(
        `GET /v3/ws HTTP/1.1\r\nHost: till\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      ),
      Buffer.from([0x81, 0x80 | masked.length]),
      mask,
      masked,
    ]),
  )
  await until(() => connection.received().includes(proof) && connection.received().includes('Send a connect frame first.'))
  connection.close()
  await isHealthy()
})
