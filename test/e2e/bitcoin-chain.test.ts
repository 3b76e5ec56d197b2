import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { connect, findBitcoind } from '../../local/bitcoin/find-bitcoind.ts'
import { bitcoinChainId } from '../../local/bitcoin/start-local-bitcoin.ts'
import { identify, isAlive } from '../../local/pids.ts'
import { PlayEvent } from '../../local/scenarios/play.ts'
import { localKeys } from '../../local/seed.ts'
import { createClient } from '../support/client/client.ts'
import { descendants } from '../support/service/descendants.ts'
import { untilStatus } from '../support/orders/payments.ts'
import { recordNodes } from '../support/service/bitcoin-nodes.ts'
import { type Service, startService } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** Bitcoin in `npm start` without configuration: one line pays an order, a kill forgets nothing, and a dead node stops the service. */

const { recorded, say } = recordNodes()
afterAll(() => say('Bitcoin in npm start'))

const Fixtures = z.object({ chains: z.array(z.object({ chain_id: z.number(), rpc_url: z.string() })) })

let service: Service
beforeAll(async () => {
  service = await startService()
  const { chains } = Fixtures.parse(await (await fetch(`${service.payUrl}/test/fixtures`)).json())
  const { rpc_url: url } = chains.find(({ chain_id }) => chain_id === bitcoinChainId)!
  await recorded(connect({ url, stop: async () => {} }))
})
afterAll(async () => {
  await service?.close()
})

const clientOf = ({ baseUrl }: Service) => createClient(baseUrl, { apiKey: localKeys.apiKey, secret: localKeys.secret })

/** Plays a scenario by the one request that the documentation names, and returns its last event. */
async function play(name: string, body: object): Promise<PlayEvent> {
  const answer = await fetch(`${service.payUrl}/test/scenarios/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ look_ms: 0, ...body }),
  })
  const lines = (await answer.text()).trim().split('\n')
  return PlayEvent.parse(JSON.parse(lines.at(-1)!))
}

async function newOrder() {
  const { id } = await clientOf(service).ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  return id
}
const read = (id: string) => clientOf(service).ask('getOrder', { params: { order_id: id } })
const reached = { at: 'reached', text: expect.stringMatching(/^COMPLETED · received 0\.\d+ BTC · remaining 0 BTC$/) }

test('default: one line pays an order in bitcoin, and the merchant’s wallet gets it', async () => {
  const id = await newOrder()
  expect(await play('pay-bitcoin', { order_id: id })).toEqual(reached)
  expect((await read(id)).fulfillment).toMatchObject({ asset: { chain_id: bitcoinChainId }, recipient: expect.stringMatching(/^bcrt1p/) })
})

test('error: a scenario that cannot happen in bitcoin says so, and the order stays as it is', async () => {
  const id = await newOrder()
  const failed = { at: 'failed', text: '"A stolen key" cannot happen on this network.' }
  expect(await play('steal', { order_id: id, chain_id: bitcoinChainId })).toEqual(failed)
  expect((await read(id)).status).toBe('PENDING')
})

test('behavior: after a kill it finds its chain again, and an order that waited for bitcoins takes them', async () => {
  const [paid, open] = [await newOrder(), await newOrder()]
  expect(await play('pay-bitcoin', { order_id: paid })).toEqual(reached)
  await clientOf(service).ask('requestPayment', {
    params: { order_id: open },
    body: { source: { currency: { chain_id: bitcoinChainId, address: null }, payment_rail: 'CRYPTO' } },
  })
  const deposit = (await read(open)).payment?.steps
  await service.kill9()
  service = await startService({ dataFolder: service.dataFolder })
  expect((await read(paid)).status).toBe('COMPLETED')
  expect((await read(open)).payment?.steps).toEqual(deposit)
  expect(await play('pay-bitcoin', { order_id: open })).toEqual(reached)
  await untilStatus(clientOf(service), open, 'COMPLETED')
})

test('error: when the Bitcoin node dies, the service says so, stops, and leaves nothing running', async () => {
  const node = await findBitcoind({})
  const on = await startService({ env: { TILL_BITCOIND_RPC: node.url, LOG_LEVEL: 'warn' } })
  try {
    const [process, left] = [identify(on.pid)!, descendants(on.pid)]
    await node.stop()
    await until(() => !isAlive(process), { what: 'the service has stopped' })
    expect(on.output()).toContain('a local chain has stopped; stopping the service')
    expect(left.filter(isAlive)).toEqual([])
  } finally {
    await on.close()
  }
})
