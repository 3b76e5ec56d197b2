import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createSolanaSigner, type SolanaSigner } from '../../server/chains/solana/signer.ts'
import { forEachConcurrently } from '../../server/lib/for-each-concurrently.ts'
import { solanaConfig } from '../chains/solana/support.ts'
import { signedHeaders } from '../support/client/client.ts'
import { full } from '../support/full.ts'
import type { Service } from '../support/service/service.ts'
import { type SolanaStage, startSolanaStage } from '../support/service/solana-stage.ts'
import { until } from '../support/wait.ts'

/** Orders take addresses that the signer has made ahead, by HTTP against the real service. */

const order = { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } } as const
const { keys } = solanaConfig()

let stage: SolanaStage
afterEach(() => stage?.close())

const addressesOf = async () =>
  (await stage.sql<{ address: string }[]>`select address from solana_addresses where order_id is not null`).map(({ address }) => address)
const freeAddresses = async () =>
  (await stage.sql<{ free: number }[]>`select count(*)::int as free from solana_addresses where order_id is null`)[0]?.free

const count = full ? 1_000 : 150

test(`behavior: ${full ? '1,000 orders within a minute' : 'many orders at once'} get an address each, in the default configuration`, async () => {
  stage = await startSolanaStage({ slotMs: 400, entry: { addresses_ahead: undefined, poll_ms: undefined } })
  const service = await stage.start()
  const client = (await stage.merchant()).at(service)
  await until(async () => (await freeAddresses()) === 1_000, { what: 'the addresses are made' })
  const started = performance.now()
  const created = new Set<string>()
  await forEachConcurrently(12, Array.from({ length: count }), async () => {
    created.add((await client.ask('createOrder', order)).id)
  })
  const took = performance.now() - started
  console.log(`${count} orders on Solana were created in ${Math.round(took)} ms.`)
  expect(created.size).toBe(count)
  const taken = await addressesOf()
  expect([taken.length, new Set(taken).size]).toEqual([count, count])
  await until(async () => (await freeAddresses()) === 1_000, { what: 'the addresses are made again' })
  // Short runs share the machine with other tests, so their time proves nothing.
  if (full) expect(took).toBeLessThan(60_000)
})

describe('a signer that is away', () => {
  let signer: SolanaSigner
  let isAway = false
  const Request = z.object({ id: z.number(), method: z.literal('getAddresses'), params: z.tuple([z.int(), z.int()]) })
  const server = createServer((request, response) => {
    void (async () => {
      const text = Buffer.concat(await request.toArray()).toString('utf8')
      if (isAway) return response.writeHead(503).end()
      const { id, params } = Request.parse(JSON.parse(text))
      const result = await signer.addresses(...params, AbortSignal.timeout(10_000))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })()
  })
  beforeAll(async () => {
    signer = createSolanaSigner(keys)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => server.close())

  test('error: once all addresses are taken an order is refused with a sentence, and succeeds when there are addresses again', async () => {
    const { port } = server.address() as AddressInfo
    const account = { remote_signer_url: `http://127.0.0.1:${port}`, operator: signer.operator, first_address: signer.first }
    stage = await startSolanaStage({ entry: { account, addresses_ahead: 3 } })
    const service: Service = await stage.start()
    const client = (await stage.merchant()).at(service)
    await until(async () => (await freeAddresses()) === 3)
    isAway = true
    for (let i = 0; i < 3; i++) await client.ask('createOrder', order)
    const headers = { ...signedHeaders(client.keys, 'POST', '/orders'), 'content-type': 'application/json' }
    const refused = await client.raw('POST', '/orders', { body: JSON.stringify(order.body), headers })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(refused.json()).toMatchObject({
      message: 'All addresses for new orders are taken, and more are being made. Try again in a moment.',
    })
    expect(await stage.sql`select from orders`).toHaveLength(3)
    isAway = false
    const made = await until(() => client.ask('createOrder', order).catch(() => undefined), { every: 1_000 })
    expect(made.status).toBe('PENDING')
    expect(new Set(await addressesOf()).size).toBe(4)
  })
})
