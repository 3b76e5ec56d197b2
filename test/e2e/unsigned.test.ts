import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/wire/order.ts'
import { merchant, payers } from '../../local/chains/accounts.ts'
import { settlementGas } from '../../server/chains/evm/costs.ts'
import { signedHeaders } from '../support/client/client.ts'
import { type Receiver, startReceiver } from '../support/service/webhook-receiver.ts'
import { connectSocket } from '../support/client/socket.ts'
import { until } from '../support/wait.ts'
import { encoded, offerOf, sign, startWorld, type World } from '../incoming/x402/support.ts'

/** An order made with the publishable key alone never counts as the merchant's and costs the operator little. */

let world: World
const receivers: Receiver[] = []
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
})

const stranger = payers[5]!
const usdc = () => ({ chain_id: 8453, address: world.dollar })
const deposit = (more: object = {}) => ({ mode: 'DEPOSIT', amount: '2.5', currency: usdc(), recipient: stranger.address, ...more })
const made = (body: object, headers?: Record<string, string>) => world.client.ask('createOrder', { body, headers })
const bySignature = () => signedHeaders(world.client.keys, 'POST', '/orders')
const list = (query: Record<string, string>) => world.client.ask('listOrders', { query: { limit: '100', ...query } })
async function pay(order: Order, at = world) {
  const answer = await at.complete(order.id, encoded(await sign(await offerOf(at, order.id), { payer: stranger })))
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const untilCompleted = (id: string, at = world) =>
  until(
    async () => {
      await at.test.mine()
      return (await at.get(id)).status === 'COMPLETED'
    },
    { what: `${id} is completed` },
  )
const sqlOf = (at: World) => at.running.engine.sql

async function hook(body: object = {}) {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const events = ['ORDER_CREATED', 'ORDER_COMPLETED']
  const webhook = await world.client.ask('createWebhook', { body: { url: receiver.url, events, ...body } })
  const orders = () => receiver.delivered.map(({ body: bytes }) => (JSON.parse(bytes.toString()) as { order: Order }).order)
  return { webhook, orders, ids: () => orders().map(({ id }) => id) }
}

const invoice = {
  from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
  recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
  invoice: { no: 'NW-1', date: '2026-05-12', due_date: '2026-05-26' },
  items: [{ name: 'Coffee', quantity: '2', unitPrice: '10' }],
}

test('default: an order records who made it and the requested price, and can be listed by its creator', async () => {
  const sale = await world.order('42.50')
  const own = await made(deposit(), bySignature())
  const unsignedOrder = await made(deposit())
  const { order_id: billed } = await world.client.ask('createInvoice', { body: invoice })
  expect([sale, own, unsignedOrder].map(({ created_by }) => created_by)).toEqual(['signature', 'signature', 'key'])
  expect(sale).toMatchObject({ price: { amount: '42.50', unit: 'usd' }, organization_name: 'Northwind Coffee' })
  expect(unsignedOrder.price).toEqual({ amount: '2.5', unit: unsignedOrder.fulfillment.asset.id })
  expect(unsignedOrder.organization_name).toBeUndefined()
  expect((await world.get(billed!)).created_by).toBe('service')
  const idsBy = async (created_by: string) => (await list({ created_by })).data.map(({ id }) => id)
  expect(await idsBy('key')).toEqual([unsignedOrder.id])
  expect(await idsBy('signature')).toEqual([own.id, sale.id])
  expect(await idsBy('service')).toEqual([billed])
  expect((await list({ created_by: 'key', status: 'EXPIRED' })).data).toEqual([])
  await world.client.refused('listOrders', 400, { query: { created_by: 'me' } })
})

test('behavior: the stated price does not change when another currency is chosen', async () => {
  const order = await world.order('42.5')
  const source = { currency: { chain_id: 8453, address: null }, payment_rail: 'CRYPTO' }
  await world.client.ask('requestPayment', { params: { order_id: order.id }, body: { source } })
  expect((await world.get(order.id)).price).toEqual({ amount: '42.5', unit: 'usd' })
})

test('behavior: an unsigned order reaches only the webhooks and sockets that include unsigned orders', async () => {
  const [plain, open, changed] = [await hook(), await hook({ include_unsigned: true }), await hook()]
  expect([plain.webhook.include_unsigned, open.webhook.include_unsigned]).toEqual([false, true])
  const change = { params: { webhook_id: changed.webhook.id }, body: { include_unsigned: true } }
  expect((await world.client.ask('changeWebhook', change)).include_unsigned).toBe(true)
  const [shop, office, payer] = await Promise.all([
    connectSocket(world.client.baseUrl, world.client.keys),
    connectSocket(world.client.baseUrl, world.client.keys),
    connectSocket(world.client.baseUrl, { apiKey: world.client.keys.apiKey }),
  ])
  await shop.subscribe()
  office.send({ type: 'subscribe', data: { include_unsigned: true } })
  await office.next(({ type }) => type === 'subscription')

  const unsignedOrder = await made(deposit({ metadata: { items: [{ name: 'Espresso machine', quantity: 1, unit_price: 99 }] } }))
  await payer.subscribe(unsignedOrder.id)
  await pay(unsignedOrder)
  await untilCompleted(unsignedOrder.id)
  const own = await made(deposit(), bySignature())
  await pay(own)
  await untilCompleted(own.id)

  // Events are ordered, so a webhook that has both events of the later order would have those of the earlier one too.
  for (const { ids } of [plain, open, changed]) await until(() => ids().filter((id) => id === own.id).length === 2)
  expect(plain.ids()).not.toContain(unsignedOrder.id)
  for (const { ids } of [open, changed]) expect(ids().filter((id) => id === unsignedOrder.id)).toHaveLength(2)
  const eventsAbout = (socket: typeof shop, id: string) => socket.events.filter((text) => text.includes(id)).length
  for (const socket of [shop, office])
    await until(() => socket.events.some((text) => text.includes('ORDER_COMPLETED') && text.includes(own.id)))
  expect(eventsAbout(shop, unsignedOrder.id)).toBe(0)
  expect(eventsAbout(office, unsignedOrder.id)).toBeGreaterThan(0)
  expect(eventsAbout(payer, unsignedOrder.id)).toBeGreaterThan(0)

  // A new subscription without unsigned orders replaces the first one.
  await office.subscribe()
  const before = eventsAbout(office, unsignedOrder.id)
  const another = await made(deposit())
  const last = await world.order()
  await until(() => eventsAbout(office, last.id) > 0)
  expect([eventsAbout(office, another.id), eventsAbout(office, unsignedOrder.id)]).toEqual([0, before])
  await Promise.all([shop, office, payer].map((socket) => socket.close()))
})

test('behavior: orders that the service makes for an invoice or a refund reach the webhooks', async () => {
  const { ids, orders } = await hook()
  const { order_id: billed } = await world.client.ask('createInvoice', { body: invoice })
  const sale = await world.order()
  await pay(sale)
  await untilCompleted(sale.id)
  const refund = await world.client.ask('refundOrder', {
    params: { order_id: sale.id },
    body: { amount: '2', recipient: stranger.address },
    headers: { 'idempotency-key': sale.id },
  })
  expect(refund).toMatchObject({ created_by: 'service', mode: 'REFUND', price: { amount: '2', unit: sale.fulfillment.asset.id } })
  await until(() => ids().includes(billed!) && ids().includes(refund.id))
  expect(new Set(orders().map(({ created_by }) => created_by))).toEqual(new Set(['service', 'signature']))
})

test.each<[string, object]>([
  ['settings.return_url', { settings: { return_url: 'https://evil.example' } }],
  ['settings.support_url', { settings: { support_url: 'mailto:help@evil.example' } }],
  ['settings.embed_origins', { settings: { embed_origins: ['https://evil.example'] } }],
  ['settings.logo_url', { settings: { logo_url: 'https://evil.example/logo.png' } }],
  ['settings.theme_color', { settings: { theme_color: '#0f4c5c' } }],
  ['metadata.reference', { metadata: { reference: 'NW-31337' } }],
  ['metadata.items.1.image', { metadata: { items: [{ name: 'A' }, { name: 'B', image: 'https://evil.example/b.png' }] } }],
])('error: without a signature %s is refused, with one it is accepted', async (path, more) => {
  const { message, details } = await world.client.refused('createOrder', 422, { body: deposit(more) })
  expect(message).toContain(path)
  expect(details).toEqual({ issues: [{ path, message: 'only on a signed order' }] })
  await made(deposit(more), bySignature())
})

test('error: an organisation that takes no unsigned orders answers 403, and signed ones are made', async () => {
  const allow = (on: boolean) => sqlOf(world)`update organizations set unsigned_orders = ${on}`
  await allow(false)
  try {
    const { message } = await world.client.refused('createOrder', 403, { body: deposit() })
    expect(message).toMatch(/without a signature/)
    await made(deposit(), bySignature())
  } finally {
    await allow(true)
  }
})

test('behavior: unsigned orders get a tenth of the gas; beyond it new ones wait, and money already received is settled', async () => {
  const each = settlementGas({ address: world.dollar })
  const small = await startWorld({ env: { GAS_PER_HOUR: String(each * 20n) } })
  try {
    const key = (more: object = {}) => ({
      body: { mode: 'DEPOSIT', amount: '2.5', currency: { chain_id: 8453, address: small.dollar }, recipient: stranger.address, ...more },
    })
    const ask = () =>
      small.client.raw('POST', '/orders', {
        body: JSON.stringify(key().body),
        headers: { 'x-api-key': small.client.keys.apiKey, 'content-type': 'application/json' },
      })
    const answers = [await ask(), await ask(), await ask()]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429])
    const [first] = answers.map((answer) => answer.json() as Order)
    const { headers, text } = answers[2]!
    expect(text).toMatch(/Orders without a signature/)
    expect(Number(headers.get('retry-after'))).toSatisfy((seconds: number) => seconds > 0 && seconds <= 3600)
    // Signed orders have a separate gas budget.
    await small.client.ask('createOrder', { ...key(), headers: signedHeaders(small.client.keys, 'POST', '/orders') })
    // A wallet signature would cost the operator gas in advance and is refused, while a transfer to the address is still settled.
    const refused = await small.complete(first!.id, encoded(await sign(await offerOf(small, first!.id), { payer: stranger })))
    expect([refused.status, refused.body.message]).toEqual([429, expect.stringMatching(/to the address/)])
    await small.test.sendToken(stranger, 'USDC', (await offerOf(small, first!.id)).payTo, 2_500_000n)
    await untilCompleted(first!.id, small)
    // The settlement uses no more gas than the order reserved.
    const [booked] = await sqlOf(small)`select sum(gas)::text as gas from gas_used where unsigned`
    expect(BigInt(booked!.gas as string)).toBe(each * 2n)
  } finally {
    await small.close()
  }
})

test('behavior: the gas of a wallet payment is booked to the organisation, and the gas of its settlement is not', async () => {
  const used = async () =>
    BigInt((await sqlOf(world)`select coalesce(sum(gas), 0)::text as gas from gas_used where not unsigned`)[0]!.gas as string)
  const before = await used()
  const order = await world.order()
  await pay(order)
  await untilCompleted(order.id)
  const after = await until(async () => ((await used()) > before ? await used() : undefined))
  expect(after - before).toBeGreaterThan(80_000n)
  expect(after - before).toBeLessThan(110_000n)
})

test('error: an amount below twice the settlement cost is refused with the minimum, while such a refund is accepted', async () => {
  const sale = (amount: string) => ({ body: { mode: 'SALE', amount, fiat_unit: 'usd' } })
  const { message, details } = await world.client.refused('createOrder', 422, sale('0.01'))
  const { minimum } = details as { minimum: { amount: string; unit: string } }
  expect(minimum.unit).toBe('usd')
  expect(Number(minimum.amount)).toBeLessThan(1)
  expect(message).toContain(`at least ${minimum.amount} USD`)
  await world.client.ask('createOrder', sale(minimum.amount))
  const inUsdc = await world.client.refused('createOrder', 422, { body: deposit({ amount: '0.000001' }) })
  const least = (inUsdc.details as { minimum: { amount: string; unit: string } }).minimum
  expect(least.unit).toBe((await made(deposit({ amount: least.amount }))).fulfillment.asset.id)
  const draft = { ...invoice, items: [{ name: 'A bean', quantity: '1', unitPrice: '0.01' }] }
  expect((await world.client.refused('createInvoice', 422, { body: draft })).details).toMatchObject({ minimum })

  const order = await world.order()
  await pay(order)
  await untilCompleted(order.id)
  await world.client.ask('refundOrder', {
    params: { order_id: order.id },
    body: { amount: '0.01', recipient: merchant.address },
    headers: { 'idempotency-key': `small ${order.id}`.replace(' ', '-') },
  })
})
