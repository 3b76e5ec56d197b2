import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fairQueue } from '../../server/lib/fair-queue.ts'
import { localResolver, publicResolver } from '../../server/http/resolve-host.ts'
import { outbound, OutboundRefused } from '../../server/http/outbound.ts'
import { imageOf, perHost } from '../../server/pages/images.ts'

/** The service calls addresses written by merchants and by unauthenticated callers: webhooks, logos and images. */

const names = new Map<string, string[]>()
const lookups: string[] = []
async function ask(name: string): Promise<{ address: string; family: number }[]> {
  lookups.push(name)
  const answers = names.get(name) ?? []
  const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? ''
  return addresses.split(' ').map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

let server: Server
let port: number
let answer: (request: IncomingMessage, response: ServerResponse) => void
const requests: string[] = []
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const call = (url: string, more: Partial<Parameters<typeof outbound>[0]> = {}) =>
  outbound({ url, method: 'GET', timeoutMs: 2_000, maxBytes: 1_000, allowLocal: false, resolve: ask, ...more })

const inside = (host: string) => `https://${host}${host.includes(']') || !host.includes(':') ? `:${port}` : ''}/`
test.each([
  'localhost',
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '１２７.０.０.１',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '198.18.0.1',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
])('error: https://%s is not called', async (host) => {
  names.set('localhost', ['127.0.0.1'])
  names.set('127.0.0.1.', ['127.0.0.1'])
  await expect(call(inside(host))).rejects.toThrow(OutboundRefused)
  expect(requests).toEqual([])
})

test.each([
  'http://shop.example/',
  'file:///etc/passwd',
  'ftp://shop.example/',
  'gopher://127.0.0.1:6379/_x',
  'data:image/png;base64,AAAA',
  'ws://shop.example/',
  'javascript:1',
  'blob:https://shop.example/1',
])('error: %s is not called', async (url) => {
  await expect(call(url)).rejects.toThrow(/Only https/)
  expect(lookups).not.toContain('shop.example')
})

test('error: a host with one private address among several, or whose DNS answer changes, is not called', async () => {
  names.set('mixed.example', ['93.184.216.34 10.0.0.1'])
  await expect(call('https://mixed.example/')).rejects.toThrow(/does not lead to a public address/)
  names.set('empty.example', [''])
  await expect(call('https://empty.example/')).rejects.toThrow(OutboundRefused)
  // The host resolved to a public address before and to a private one now: the single look-up at connect time decides.
  names.set('rebind.example', ['127.0.0.1', '93.184.216.34'])
  lookups.length = 0
  await expect(call(`https://rebind.example:${port}/`)).rejects.toThrow(/does not lead to a public address/)
  expect(lookups).toEqual(['rebind.example'])
  expect(requests).toEqual([])
})

const local = { allowLocal: true, resolve: localResolver } as const
const here = (path = '/') => `http://127.0.0.1:${port}${path}`

test('error: redirects are not followed', async () => {
  requests.length = 0
  for (const to of ['http://169.254.169.254/', here('/inside'), 'file:///etc/passwd', '//127.0.0.1/']) {
    answer = (_, response) => void response.writeHead(302, { location: to }).end()
    expect((await call(here('/moved'), local)).status).toBe(302)
  }
  expect(new Set(requests)).toEqual(new Set(['/moved']))
})

test('error: responses that are too long, too slow or endless are aborted', async () => {
  const cut = vi.fn<() => void>()
  answer = (request, response) => {
    request.socket.once('close', cut)
    const more = () => response.write('x'.repeat(10_000), () => !response.destroyed && setImmediate(more))
    more()
  }
  await expect(call(here(), local)).rejects.toThrow(/larger than 1000 bytes/)
  // The announced length already exceeds the limit.
  answer = (_, response) => void response.writeHead(200, { 'content-length': '100000' }).end('x'.repeat(100_000))
  await expect(call(here(), local)).rejects.toThrow(/larger than 1000 bytes/)
  answer = (_, response) => void response.write('x')
  await expect(call(here(), { ...local, timeoutMs: 100 })).rejects.toThrow(/abort|timeout/i)
  answer = () => undefined
  await expect(call(here(), { ...local, timeoutMs: 100 })).rejects.toThrow(/abort|timeout/i)
  await vi.waitFor(() => expect(cut).toHaveBeenCalled(), 60_000)
})

test('behavior: a password in a URL is not sent, and neither are our cookies or keys', async () => {
  let headers: IncomingMessage['headers'] = {}
  answer = (request, response) => {
    headers = request.headers
    response.end('ok')
  }
  await call(here(), local)
  expect(Object.keys(headers).sort()).toEqual(['connection', 'host'])
})

test('error: names whose DNS servers never answer delay no other look-up', async () => {
  const silent = createSocket('udp4')
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
  const unanswered = publicResolver([`127.0.0.1:${silent.address().port}`])
  let hanging = 20
  const calls = Array.from({ length: 20 }, (_, index) =>
    call(`https://silent${index}.example/`, { resolve: unanswered, timeoutMs: 60_000 }).catch((error: unknown) => (hanging--, error)),
  )
  await once(silent, 'message')
  // `localhost` is resolved by the operating system's few threads, which the hanging look-ups must not occupy.
  answer = (_, response) => void response.end('ok')
  expect((await call(`http://localhost:${port}/`, local)).status).toBe(200)
  expect(hanging).toBe(20)
  silent.close()
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: expect.stringMatching(/ETIMEOUT|ECONNREFUSED/) })
})

test('error: no DNS server is asked for a name of this machine', async () => {
  expect(await publicResolver(['127.0.0.1:9'])('shop.localhost.')).toEqual([{ address: '127.0.0.1', family: 4 }])
  await expect(call('https://localhost/', { resolve: undefined })).rejects.toThrow(/does not lead to a public address/)
})

test('behavior: the type of an image is read from its bytes', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  for (const text of [
    '<svg onload=alert(1)>',
    '<!doctype html><script>',
    'GIF89a<script>',
    '%PDF-1.7',
    '\u0000\u0000\u0001\u0000',
    'RIFFxxxxWEBX',
    ' \u0089PNG',
    '',
  ])
    expect(imageOf(bytes(text)), text).toBeUndefined()
})

test('behavior: a hundred images from one host load four at a time, and another host does not wait', async () => {
  const hosts = fairQueue(perHost)
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  const slow = Array.from({ length: 100 }, () =>
    hosts.run('slow.example', async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running--
    }),
  )
  expect(await hosts.run('quick.example', async () => 'here')).toBe('here')
  const failed = hosts.run('slow.example', async () => Promise.reject(new Error('no')))
  for (let index = 0; index < 100; index++) {
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(index), 60_000)
    ends[index]!()
  }
  await Promise.all(slow)
  await expect(failed).rejects.toThrow('no')
  expect(most).toBe(4)
})
