import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { fairQueue } from '../../server/lib/fair-queue.ts'
import { listen, type Listening } from '../../server/http/listen.ts'
import { paced, type Pacing } from '../../server/http/backpressure.ts'
import { unreadResponses } from '../../server/http/unread-responses.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'
import { answersIn } from './wire.ts'

/** One address is limited in concurrent requests per connection, in unread answers and in page requests. */

const otherAddress = '127.0.0.2'
const payer = '127.0.0.3'
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

function open(port: number, text: string, { reads = true, from = otherAddress } = {}): { socket: Socket; received: () => string } {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  let received = ''
  socket.on('error', () => undefined)
  if (reads) socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  else socket.pause()
  socket.write(text)
  stops.push(() => socket.destroy())
  return { socket, received: () => received }
}

const get = (url: string, from = payer): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> =>
  new Promise((resolve, reject) => {
    request(url, { localAddress: from, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
      .once('error', reject)
      .end()
  })

const gets = (count: number, path = (index: number) => `/${index}`) =>
  Array.from({ length: count }, (_, index) => `GET ${path(index)} HTTP/1.1\r\nHost: till\r\n\r\n`).join('')

/** Starts a server that records the requested paths. */
async function recordingServer(answer: (path: string) => Promise<Response> | Response) {
  const requests: string[] = []
  let running = 0
  let most = 0
  const listening: Listening = await listen(
    async (incoming) => {
      const path = new URL(incoming.url).pathname
      requests.push(path)
      most = Math.max(most, ++running)
      try {
        return await answer(path)
      } finally {
        running--
      }
    },
    { host: '127.0.0.1', port: 0 },
  )
  stops.push(() => {
    listening.server.closeAllConnections()
    return listening.close()
  })
  return { port: listening.port, requests, most: () => most }
}

test('behavior: a hundred pipelined requests on one connection are answered one at a time, in order', async () => {
  const { port, requests, most } = await recordingServer(async (path) => {
    await new Promise((resolve) => setImmediate(resolve))
    return new Response(`answer ${path};`)
  })
  const { received } = open(port, gets(100))
  await until(() => answersIn(received()) === 100)
  expect(requests).toEqual(Array.from({ length: 100 }, (_, index) => `/${index}`))
  expect([...received().matchAll(/answer (\/\d+);/g)].map(([, path]) => path)).toEqual(requests)
  expect(most()).toBe(1)
})

test('behavior: consecutive request bodies are read, also when they arrive in pieces or with the next request attached', async () => {
  const { port } = await recordingServer(() => new Response('ok'))
  const post = `POST /p HTTP/1.1\r\nHost: till\r\nContent-Length: 11\r\n\r\n{"a":"\r\n\r\n"`
  const all = `${post}${gets(1)}${post}${post}POST /c HTTP/1.1\r\nHost: till\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n${gets(2)}`
  const whole = open(port, all)
  await until(() => answersIn(whole.received()) === 7)
  const pieces = open(port, '')
  for (const letter of all) {
    pieces.socket.write(letter)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => answersIn(pieces.received()) === 7)
  expect(whole.received() + pieces.received()).not.toContain('400 Bad Request')
})

test('error: a client that does not read gets no second answer, and other clients are served', async () => {
  // This is more than the operating system buffers for a connection.
  const large = new Uint8Array(12 * 1_048_576)
  const { port, requests } = await recordingServer((path) => new Response(path.startsWith('/large') ? large : 'small'))
  for (let index = 0; index < 10; index++)
    open(
      port,
      gets(200, () => `/large${index}`),
      { reads: false, from: `127.0.1.${index + 1}` },
    )
  await until(() => requests.length === 10)
  for (let index = 0; index < 20; index++) expect((await get(`http://127.0.0.1:${port}/small`)).text).toBe('small')
  expect(requests.filter((path) => path.startsWith('/large'))).toHaveLength(10)
})

test('error: an address that leaves more than its share unread loses the connection', async () => {
  const large = new Uint8Array(12 * 1_048_576)
  const { port, requests } = await recordingServer(() => new Response(large))
  const first = open(port, gets(1), { reads: false })
  await until(() => requests.length === 1)
  const sockets = [first, ...Array.from({ length: 5 }, () => open(port, gets(1), { reads: false }))].map(({ socket }) => socket)
  await until(() => requests.length === 6)
  // A socket that resumes reading learns that the connection was closed.
  let ended = 0
  for (const socket of sockets) socket.once('close', () => ended++).resume()
  await until(() => ended >= 1)
})

/** A plain Node server with nothing of ours but the pacing. */
async function bareServer(
  takenWithinMs: number,
  answer: Parameters<typeof createServer>[1],
): Promise<{ server: Server; pacing: Pacing; port: number }> {
  const server = createServer(answer)
  const pacing = paced(server, { takenWithinMs, upgrades: false, onUnread: () => () => undefined })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, pacing, port: (server.address() as AddressInfo).port }
}

test('behavior: a paused connection is not read, while another one from the same address is', async () => {
  let requests = 0
  const { pacing, port } = await bareServer(60_000, (incoming, response) => {
    requests++
    if (incoming.url === '/rest') pacing.pauseFor(incoming.socket, 600_000)
    response.end('ok')
  })
  const resting = open(
    port,
    gets(50, () => '/rest'),
  )
  await until(() => answersIn(resting.received()) === 1)
  for (let index = 0; index < 20; index++) expect((await get(`http://127.0.0.1:${port}/`, otherAddress)).status).toBe(200)
  expect(requests).toBe(21)
  expect(answersIn(resting.received())).toBe(1)
})

test('error: an answer that is not read in time ends the connection', async () => {
  const large = Buffer.alloc(32 * 1_048_576)
  const { server, port } = await bareServer(100, (_, response) => void response.end(large))
  const closed = new Promise((resolve) => server.once('connection', (socket: Socket) => socket.once('close', resolve)))
  open(port, gets(1), { reads: false })
  await closed
})

test('behavior: requests queued under one name delay no other name, and requests beyond the limit are refused', async () => {
  const queue = fairQueue({ atOnce: 2, perName: 1, waiting: 10 })
  const ends = new Map<string, () => void>()
  const order: string[] = []
  const run = (name: string, id: string) =>
    queue.run(name, async () => {
      order.push(id)
      await new Promise<void>((resolve) => ends.set(id, resolve))
      return id
    })
  const many = Array.from({ length: 11 }, (_, index) => run('many', `many ${index}`))
  expect(many.every((turn) => turn !== undefined)).toBe(true)
  expect(run('many', 'refused')).toBeUndefined()
  const [first, second] = [run('one', 'one'), run('two', 'two')]
  expect(order).toEqual(['many 0', 'one'])
  ends.get('many 0')?.()
  expect(await many[0]).toBe('many 0')
  expect(order).toEqual(['many 0', 'one', 'many 1'])
  ends.get('many 1')?.()
  await many[1]
  // A slot is free, and names take turns.
  expect(order).toEqual(['many 0', 'one', 'many 1', 'two'])
  ends.get('one')?.()
  ends.get('two')?.()
  expect(await Promise.all([first, second])).toEqual(['one', 'two'])
  for (let index = 2; index < 11; index++) {
    await until(() => ends.has(`many ${index}`))
    ends.get(`many ${index}`)?.()
  }
  await Promise.all(many)
  await expect(queue.run('fails', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await queue.run('fails', async () => 'goes on')).toBe('goes on')
})

test('behavior: queued work starts at intervals and not at all while the queue is held; other names are unaffected', async () => {
  vi.useFakeTimers()
  stops.push(() => vi.useRealTimers())
  let isHeld = false
  const queue = fairQueue({ atOnce: 8, perName: 1, waiting: 10, gapMs: 20, isHeld: () => isHeld })
  const order: string[] = []
  const run = (name: string, id: string) => queue.run(name, async () => void order.push(id))
  const all = [0, 1, 2, 3].map((index) => run('many', `many ${index}`))
  all.push(run('one', 'one'))
  await vi.advanceTimersByTimeAsync(10)
  expect(order).toEqual(['many 0', 'one'])
  await vi.advanceTimersByTimeAsync(15)
  expect(order).toEqual(['many 0', 'one', 'many 1'])
  isHeld = true
  await vi.advanceTimersByTimeAsync(500)
  expect(order).toEqual(['many 0', 'one', 'many 1'])
  await run('two', 'two')
  expect(order).toEqual(['many 0', 'one', 'many 1', 'two'])
  isHeld = false
  await vi.advanceTimersByTimeAsync(25)
  expect(order).toEqual(['many 0', 'one', 'many 1', 'two', 'many 2'])
  // A permanent hold ends after one second.
  isHeld = true
  await vi.advanceTimersByTimeAsync(1_100)
  expect(order).toEqual(['many 0', 'one', 'many 1', 'two', 'many 2', 'many 3'])
  await Promise.all(all)
})

test('behavior: every queued job finishes, however often the queue is held and however long jobs take', async () => {
  let turn = 0
  const queue = fairQueue({ atOnce: 3, perName: 1, waiting: 100, gapMs: 3, isHeld: () => turn++ % 3 !== 0 })
  const done = Array.from({ length: 60 }, (_, index) =>
    queue.run(`name ${index % 5}`, () => new Promise((resolve) => setTimeout(() => resolve(index), index % 7))),
  )
  expect(await Promise.all(done)).toEqual(Array.from({ length: 60 }, (_, index) => index))
})

test('behavior: when the total of unread bytes reaches its limit, the address that holds the most is cut off', () => {
  const unread = unreadResponses({ perAddress: 100, inAll: 250 })
  const cut: string[] = []
  const socket = (name: string) => ({ destroy: () => cut.push(name) }) as unknown as Socket
  const releases = [unread.hold('a', socket('a'), 90), unread.hold('b', socket('b'), 80), unread.hold('c', socket('c'), 70)]
  expect(cut).toEqual([])
  unread.hold('d', socket('d'), 20)()
  expect(cut).toEqual(['a'])
  unread.hold('b', socket('b again'), 30)
  expect(cut).toEqual(['a', 'b again'])
  for (const release of releases) release()
})

let stage: Stage
let served: Process
let merchant: Merchant
let url: string
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  ;[served, merchant] = await Promise.all([
    stage.start({ PAGE_RATE_PER_SECOND: '1', PAGE_RATE_BURST: '5', CONNECTIONS_PER_ADDRESS: '20' }),
    stage.merchant(),
  ])
  const { id } = await merchant.at(served).ask('createOrder', { body: { mode: 'SALE', amount: '1', fiat_unit: 'usd' } })
  url = `${served.service.payUrl}/pay/${id}`
})
afterAll(() => stage?.close())

test('error: an address that opens too many pages gets an error page, and another one is served', async () => {
  // All at once, since an allowance grows while pages are rendered.
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(url, '127.0.0.4')))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(5)
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
  const [{ headers, text }] = refused as [(typeof refused)[0]]
  expect(headers).toMatchObject({
    'retry-after': expect.stringMatching(/^[1-9]\d*$/),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  expect(text).toMatch(/^<!doctype html>/)
  expect(text).toContain('can’t be shown right now')
  expect(headers['content-security-policy']).toContain(/<style nonce="([^"]+)"/.exec(text)?.[1] ?? 'no nonce')
  expect((await get(url)).status).toBe(200)
})

test('behavior: images do not count against the page limit, and a page refused inside a frame shows the reason there', async () => {
  for (let index = 0; index < 20; index++) expect((await get(`${url}/logo`, '127.0.0.5')).status).toBe(404)
  expect((await get(url, '127.0.0.5')).status).toBe(200)
  const framed = await Promise.all(Array.from({ length: 20 }, () => get(url.replace('/pay/', '/frame/'), '127.0.0.5')))
  const refused = framed.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers } of refused) expect(headers['x-frame-options']).toBeUndefined()
})

test('behavior: another loopback address is limited as an unauthenticated caller: only so many connections stay open', async () => {
  const port = Number(new URL(url).port)
  const held = Array.from({ length: 40 }, () => open(port, 'GET /healthz HTTP/1.1\r\nHost: till\r\n\r\n', { from: '127.0.0.6' }))
  await until(() => held.filter(({ socket }) => socket.destroyed).length === 20)
  await until(() => held.filter(({ received }) => answersIn(received()) === 1).length === 20)
  expect((await get(url, '127.0.0.7')).status).toBe(200)
})
