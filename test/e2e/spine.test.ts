import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EventEnvelope, orderEvents } from '../../src/wire/event.ts'
import type { OrderStatus } from '../../src/wire/order.ts'
import { type Client, createClient } from '../support/client/client.ts'
import { readExactly } from '../support/client/exact.ts'
import { createPayer } from '../support/wallets/payer.ts'
import { type Receiver, startReceiver } from '../support/service/webhook-receiver.ts'
import { startService, type Service, unhurried } from '../support/service/service.ts'
import { connectSocket } from '../support/client/socket.ts'
import { until } from '../support/wait.ts'

/** The main flow from outside, by HTTP, /ws and a chain's RPC, against a freshly started service. */

interface Fixtures {
  readonly organization: { api_key: string; api_secret: string; webhook_secret: string }
  readonly chains: readonly { chain_id: number; rpc_url: string; tokens: readonly { symbol: string; address: string | null }[] }[]
  readonly accounts: readonly { address: string; private_key: string }[]
}

let service: Service
let receiver: Receiver
let fixtures: Fixtures
let client: Client

beforeAll(async () => {
  ;[service, receiver] = await Promise.all([startService({ env: unhurried }), startReceiver()])
  fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
  client = createClient(service.baseUrl, { apiKey: fixtures.organization.api_key, secret: fixtures.organization.api_secret })
})
afterAll(async () => {
  await service?.close()
  await receiver?.close()
})

test('default: create, pay 37 %, top up, completed; webhooks and sockets match the log', async () => {
  const { secret } = await client.ask('createWebhook', { body: { url: receiver.url, events: orderEvents } })
  const some = await startReceiver()
  await client.ask('createWebhook', { body: { url: some.url, events: ['ORDER_COMPLETED', 'ORDER_ERROR'] } })
  const everything = await connectSocket(client.baseUrl, client.keys)
  expect(await everything.subscribe()).toMatchObject({ type: 'subscription', data: { scope: 'organization', status: 'subscribed' } })

  const created = await client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  expect(created).toMatchObject({
    status: 'PENDING',
    mode: 'SALE',
    hosted_url: `${service.payUrl}/pay/${created.id}`,
    fulfillment: { amount: { raw: '42500000', ui: '42.5' } },
  })
  expect(created.payment).toBeUndefined()
  const path = { params: { order_id: created.id } }

  const socket = await connectSocket(client.baseUrl, { apiKey: client.keys.apiKey })
  expect(await socket.subscribe(created.id)).toMatchObject({
    type: 'subscription',
    data: { order_id: created.id, scope: 'order', status: 'subscribed' },
  })

  const asset = created.fulfillment.asset
  const { data: payment } = await client.ask('requestPayment', {
    ...path,
    body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
  })
  const step = payment.steps[0]
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  const required = BigInt(step.data.amount)
  expect(payment.funding).toMatchObject({
    required_amount: { raw: '42500000' },
    received_amount: { raw: '0' },
    remaining_amount: { raw: '42500000' },
    transactions: [],
  })

  const chain = fixtures.chains.find(({ chain_id }) => chain_id === asset.chain_id)!
  const payer = createPayer(chain.rpc_url, fixtures.accounts[0]!.private_key)
  const recipient = created.fulfillment.recipient
  const before = await payer.balance(asset.address, recipient)
  const order = () => client.ask('getOrder', path)
  const became = (status: OrderStatus) =>
    until(async () => ((await order()).status === status ? order() : undefined), { what: `the order is ${status}` })

  const part = (required * 37n) / 100n
  const firstHash = await payer.pay(asset.address, step.data.deposit_address, part)
  const partial = await became('PARTIAL_PAYMENT')
  expect(partial.payment?.funding).toMatchObject({
    required_amount: { raw: '42500000', ui: '42.5' },
    received_amount: { raw: '15725000', ui: '15.725' },
    remaining_amount: { raw: '26775000', ui: '26.775' },
    transactions: [{ tx_hash: firstHash, amount: { raw: '15725000' }, state: 'confirmed' }],
  })
  const { methods } = await client.ask('paymentMethods', path)
  expect(methods.map(({ method, available, reason }) => [method, available, reason !== undefined])).toEqual([
    ['WALLET', false, true],
    ['DEPOSIT_ADDRESS', true, false],
    ['CARD', false, true],
  ])

  const secondHash = await payer.pay(asset.address, step.data.deposit_address, required - part)
  const completed = await became('COMPLETED')
  expect(completed.payment?.funding).toMatchObject({ received_amount: { raw: '42500000' }, remaining_amount: { raw: '0', ui: '0' } })
  expect(completed.payment?.funding?.transactions).toMatchObject([
    { tx_hash: firstHash, state: 'applied' },
    { tx_hash: secondHash, state: 'applied' },
  ])
  expect((await payer.balance(asset.address, recipient)) - before).toBe(42_500_000n)
  expect(await payer.balance(asset.address, step.data.deposit_address)).toBe(0n)

  // Sockets, webhooks and the API must agree.
  const mine = () =>
    receiver.delivered.map(({ body }) => JSON.parse(body.toString()) as EventEnvelope).filter((event) => event.order.id === created.id)
  await until(() => mine().some(({ event }) => event === 'ORDER_COMPLETED'), { what: 'the last webhook' })
  expect(mine().map(({ event }) => event)).toEqual([
    'ORDER_CREATED',
    'ORDER_AWAITING_PAYMENT',
    'ORDER_PARTIAL_PAYMENT',
    'ORDER_CONFIRMING',
    'ORDER_EXECUTING',
    'ORDER_COMPLETED',
  ])
  for (const { body, headers } of receiver.delivered) {
    readExactly(EventEnvelope, JSON.parse(body.toString()))
    expect(headers['content-type']).toBe('application/json')
    expect(headers['till-webhook-signature']).toBe(createHmac('sha256', secret).update(body).digest('base64'))
    expect(headers['till-webhook-id']).toMatch(/^\S{16,}$/)
  }
  expect(new Set(receiver.delivered.map(({ headers }) => headers['till-webhook-id'])).size).toBe(receiver.delivered.length)

  const ofOrder = () => everything.events.filter((text) => text.includes(created.id))
  await until(() => [socket.events, ofOrder()].every((events) => events.some((text) => text.includes('"ORDER_COMPLETED"'))))
  const organizationEvents = ofOrder()
  // A socket subscribed to the organisation receives the bytes of every webhook, in the same order.
  const webhooks = receiver.delivered
    .map(({ body }) => `{"type":"event","data":${body.toString()}}`)
    .filter((text) => text.includes(created.id))
  expect(organizationEvents.filter((text) => webhooks.includes(text))).toEqual(webhooks)
  expect(socket.events).toEqual(organizationEvents.slice(organizationEvents.length - socket.events.length))
  const stamps = organizationEvents.map((text) => (JSON.parse(text) as { data: EventEnvelope }).data.order.updated_at)
  expect(stamps).toEqual([...new Set(stamps)].sort())
  expect((JSON.parse(socket.events.at(-1)!) as { data: EventEnvelope }).data.order).toEqual(await order())
  // A webhook for one event receives that event only.
  await until(() => some.delivered.length > 0)
  expect(some.delivered.map(({ body }) => (JSON.parse(body.toString()) as EventEnvelope).event)).toEqual(['ORDER_COMPLETED'])
  await Promise.all([socket.close(), everything.close(), some.close()])
})
