import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { DeliveryAttempt } from '../../src/wire/delivery.ts'
import { reportFailingWebhooks } from '../../server/compose/failing-webhooks.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { forgetOldEvents } from '../../server/database/retention.ts'
import { claimMails } from '../../server/invoices/mails.ts'
import { noticeMail } from '../../server/invoices/notices.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { createTill, verifyWebhook } from '../../embed/server.ts'
import { deliverer } from '../../server/webhooks/deliver.ts'
import { deliveryFailed } from '../../server/webhooks/deliveries.ts'
import { deliveries } from '../../server/webhooks/delivery-routes.ts'
import { webhookTester } from '../../server/webhooks/test-webhook.ts'
import { insertWebhook } from '../../server/webhooks/webhook-queries.ts'
import { webhooks } from '../../server/webhooks/webhook-routes.ts'
import { bareOrder, bareOrganization, silent, writeEvent } from '../events/support.ts'
import { type Client, createClient } from '../support/client/client.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { type Served, serveRoutes } from '../support/service/serve-routes.ts'
import { type Receiver, startReceiver } from '../support/service/webhook-receiver.ts'
import { until } from '../support/wait.ts'

/** What a merchant sees of deliveries, and can do about them. The database, the routes and the receiver are real. */

let database: TestDatabase
let sql: Sql
let engine: Engine
let served: Served
let client: Client
let stranger: Client
let receiver: Receiver
let stops: (() => Promise<void>)[]
let tester: ReturnType<typeof webhookTester>

beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, 20)
  await Promise.all(['org_a', 'org_b'].map((id) => bareOrganization(sql, id)))
  engine = { sql, clock: Date.now, payUrl: 'https://pay.example', log: silent } as never
  tester = webhookTester(engine, { allowLocal: true })
  served = await serveRoutes(sql, (route) => {
    webhooks(route, engine, true)
    deliveries(route, engine, (...of) => tester(...of))
  })
  client = createClient(served.baseUrl, { apiKey: 'pk_org_a', secret: 'sk_org_a' })
  stranger = createClient(served.baseUrl, { apiKey: 'pk_org_b', secret: 'sk_org_b' })
})
afterAll(async () => {
  await served?.close()
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  stops = []
  receiver = await startReceiver()
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await receiver.close()
  await sql`delete from webhooks`
  await sql`delete from mails`
})

function start(schedule: readonly number[] = [30, 30, 30, 3_600_000]) {
  const stopping = new AbortController()
  const worker = deliverer({ sql, log: silent, allowLocal: true, schedule })
  const ended = worker.run(stopping.signal)
  stops.push(() => {
    stopping.abort()
    return ended
  })
}

let made = 0
async function hook(organizationId = 'org_a', path = '') {
  const id = `wh_${++made}`
  const url = receiver.url + path
  await insertWebhook(sql, organizationId, { id, url, events: ['ORDER_CREATED'], active: true, include_unsigned: false, secret: 's' })
  return id
}
async function enqueue(webhookId: string, orderId?: string, name = 'event', organizationId = 'org_a') {
  const order = orderId ?? (await bareOrder(sql, organizationId))
  const seq = await writeEvent(sql, order, 'ORDER_CREATED', { organizationId, body: JSON.stringify({ name }) })
  const [row] = await sql`insert into deliveries (webhook_id, order_id, seq) values (${webhookId}, ${order}, ${seq}) returning id`
  return { id: String(row!.id), order }
}
const list = async (webhookId: string, query: Record<string, string> = {}) =>
  client.ask('listDeliveries', { params: { webhook_id: webhookId }, query })
const stateOf = async (webhookId: string, id: string) => (await list(webhookId)).data.find((delivery) => delivery.id === id)?.state
const resend = (webhookId: string, id: string, by = client) =>
  by.ask('resendDelivery', { params: { webhook_id: webhookId, delivery_id: id } })
const idsReceived = () => receiver.delivered.map(({ headers }) => headers['till-webhook-id'])

test('default: a delivery is listed with its body and every attempt, and what the receiver answered', async () => {
  const webhook = await hook()
  receiver.answer = (_, index) => ({ status: index === 0 ? 503 : 204 })
  const { id, order } = await enqueue(webhook)
  start()
  await until(async () => (await stateOf(webhook, id)) === 'delivered')
  const { data, pagination } = await list(webhook)
  expect(pagination.total_count).toBe(1)
  expect(data).toEqual([
    {
      id,
      event: 'ORDER_CREATED',
      order_id: order,
      state: 'delivered',
      created_at: expect.any(String),
      attempts: [
        { at: expect.any(String), ms: expect.any(Number), status: 503, error: 'the receiver responded with status 503' },
        { at: expect.any(String), ms: expect.any(Number), status: 204 },
      ],
      body: '{"name":"event"}',
    },
  ])
  expect(receiver.delivered[1]!.body.toString()).toBe(data[0]!.body)
  expect(idsReceived()).toEqual([id, id])
})

test('error: an attempt without an answer says why', async () => {
  const webhook = await hook()
  const { id } = await enqueue(webhook)
  await receiver.close()
  start([3_600_000])
  const attempt = await until(async () => (await list(webhook)).data[0]?.attempts[0])
  expect(attempt).toEqual({ at: expect.any(String), ms: expect.any(Number), error: expect.stringContaining('ECONNREFUSED') })
  expect((await list(webhook)).data[0]).toMatchObject({ id, state: 'waiting', next_attempt_at: expect.any(String) })
})

test('behavior: deliveries are listed newest first, in pages, by state and by order', async () => {
  const webhook = await hook()
  const sent = []
  for (let index = 0; index < 5; index++) sent.push(await enqueue(webhook))
  await sql`update deliveries set done_at = now() where id = any(${[sent[0]!.id, sent[1]!.id]})`
  await sql`update deliveries set given_up_at = now() where id = ${sent[2]!.id}`
  const ids = async (query?: Record<string, string>) => (await list(webhook, query)).data.map(({ id }) => id)
  const [first, second, third, fourth, fifth] = sent.map(({ id }) => id)
  expect(await ids()).toEqual([fifth, fourth, third, second, first])
  expect(await ids({ limit: '2', offset: '1' })).toEqual([fourth, third])
  expect(await ids({ state: 'waiting' })).toEqual([fifth, fourth])
  expect(await ids({ state: 'delivered' })).toEqual([second, first])
  expect(await ids({ state: 'failed' })).toEqual([third])
  expect(await ids({ order_id: sent[3]!.order })).toEqual([fourth])
  expect((await list(webhook, { state: 'delivered', limit: '1' })).pagination).toEqual({ total_count: 2, limit: 1, offset: 0 })
  const { details } = await client.refused('listDeliveries', 400, { params: { webhook_id: webhook }, query: { state: 'lost' } })
  expect(details).toMatchObject({ issues: [{ path: 'state' }] })
})

test('behavior: what was delivered is sent again under the same id, and each attempt is kept', async () => {
  const webhook = await hook()
  const { id } = await enqueue(webhook)
  start()
  await until(async () => (await stateOf(webhook, id)) === 'delivered')
  expect(await resend(webhook, id)).toMatchObject({ id, state: 'waiting', attempts: [{ status: 200 }] })
  await until(async () => (await stateOf(webhook, id)) === 'delivered')
  expect(idsReceived()).toEqual([id, id])
  expect((await list(webhook)).data[0]!.attempts).toMatchObject([{ status: 200 }, { status: 200 }])
})

test('behavior: what was given up begins anew, with all its retries', async () => {
  const webhook = await hook()
  const { id } = await enqueue(webhook)
  await sql`update deliveries set given_up_at = now(), attempts = 9, first_tried_at = now() - interval '3 days' where id = ${id}`
  receiver.answer = (_, index) => ({ status: index === 0 ? 500 : 200 })
  await resend(webhook, id)
  start()
  await until(async () => (await stateOf(webhook, id)) === 'delivered')
  expect(idsReceived()).toEqual([id, id])
})

test('behavior: a waiting delivery is sent now, and one that is being sent is not sent twice', async () => {
  const webhook = await hook()
  const { id } = await enqueue(webhook)
  await sql`update deliveries set next_at = now() + interval '1 day', attempts = 5, first_tried_at = now() where id = ${id}`
  await sql`update deliveries set leased_until = now() + interval '1 minute' where id = ${id}`
  await resend(webhook, id)
  expect((await sql`select next_at > now() + interval '1 hour' as later from deliveries where id = ${id}`)[0]).toEqual({ later: true })
  await sql`update deliveries set leased_until = null where id = ${id}`
  await resend(webhook, id)
  start()
  await until(async () => (await stateOf(webhook, id)) === 'delivered')
  expect(idsReceived()).toEqual([id])
})

test('behavior: an old event that is sent again neither waits for other events of its order nor delays them', async () => {
  const webhook = await hook()
  const old = await enqueue(webhook, undefined, 'old')
  await sql`update deliveries set done_at = now() where id = ${old.id}`
  const blocked = await enqueue(webhook, old.order, 'blocked')
  await sql`update deliveries set next_at = now() + interval '1 hour' where id = ${blocked.id}`
  const given = await enqueue(webhook, old.order, 'given up')
  await sql`update deliveries set given_up_at = now() where id = ${given.id}`
  receiver.answer = ({ body }) => ({ status: body.includes('old') ? 500 : 200 })
  await resend(webhook, old.id)
  await resend(webhook, given.id)
  // The old one fails once and then waits an hour. The newer ones arrive all the same.
  start([3_600_000])
  await until(async () => (await stateOf(webhook, given.id)) === 'delivered')
  await until(async () => (await list(webhook)).data.some(({ id, attempts }) => id === old.id && attempts.length === 1))
  await sql`update deliveries set next_at = now() where id = ${blocked.id}`
  await until(async () => (await stateOf(webhook, blocked.id)) === 'delivered')
  expect(await stateOf(webhook, old.id)).toBe('waiting')
})

test('behavior: a dead receiver whose deliveries are sent again and again delays no other organisation', async () => {
  const dead = await hook('org_a', '/dead')
  const alive = await hook('org_b', '/alive')
  receiver.answer = ({ path }) => (path.endsWith('/dead') ? undefined : { status: 200 })
  const all = await Promise.all(Array.from({ length: 40 }, () => enqueue(dead)))
  await sql`update deliveries set given_up_at = now() where webhook_id = ${dead}`
  await Promise.all(all.map(({ id }) => resend(dead, id)))
  start()
  await until(() => receiver.delivered.some(({ path }) => path.endsWith('/dead')))
  const { id } = await enqueue(alive, undefined, 'event', 'org_b')
  await until(async () => (await sql`select 1 from deliveries where id = ${id} and done_at is not null`).length === 1)
  // The dead endpoint still has one request open, and everything else that it is sent waits behind that.
  expect(await sql`select 1 from deliveries where webhook_id = ${dead} and done_at is not null`).toHaveLength(0)
})

test('error: another organisation sees nothing, and a delivery belongs to its own webhook', async () => {
  const [webhook, other] = [await hook(), await hook('org_a', '/other')]
  const { id } = await enqueue(webhook)
  const params = { webhook_id: webhook, delivery_id: id }
  await stranger.refused('listDeliveries', 404, { params })
  await stranger.refused('resendDelivery', 404, { params })
  await stranger.refused('testWebhook', 404, { params })
  await client.refused('resendDelivery', 404, { params: { ...params, webhook_id: other } })
  await client.refused('resendDelivery', 404, { params: { ...params, delivery_id: 'unknown' } })
  await client.ask('changeWebhook', { params, body: { active: false } })
  expect((await client.refused('resendDelivery', 409, { params })).message).toContain('switched off')
})

test('behavior: a delivery keeps its newest twenty attempts, and goes with its event after 30 days', async () => {
  const webhook = await hook()
  const { id } = await enqueue(webhook)
  const attempt = (ms: number): DeliveryAttempt => ({ at: '2026-05-01T00:00:00.000Z', ms, error: 'x' })
  for (let ms = 1; ms <= 25; ms++) await deliveryFailed(sql, id, attempt(ms), new Date())
  expect((await list(webhook)).data[0]!.attempts.map(({ ms }) => ms)).toEqual(Array.from({ length: 20 }, (_, index) => index + 6))
  await sql`update deliveries set given_up_at = now() - interval '31 days' where id = ${id}`
  await sql`update events set delivered_at = now() - interval '31 days'`
  await forgetOldEvents(sql, new AbortController().signal)
  expect((await list(webhook)).data).toEqual([])
})

test('behavior: what a dead endpoint was never sent goes with the log, and what was sent again stays', async () => {
  const webhook = await hook()
  const [old, resent, recent] = [await enqueue(webhook), await enqueue(webhook), await enqueue(webhook)]
  await sql`
    update events set delivered_at = now() - interval '31 days'
    where seq in (select seq from deliveries where id = any(${[old.id, resent.id]}))`
  await sql`update deliveries set given_up_at = now() where id = ${resent.id}`
  await resend(webhook, resent.id)
  await forgetOldEvents(sql, new AbortController().signal)
  expect((await list(webhook)).data.map(({ id }) => id)).toEqual([recent.id, resent.id])
})

test('behavior: the log shrinks by more than one batch at a time', async () => {
  const webhook = await hook()
  await enqueue(webhook)
  await sql`
    insert into events (order_id, organization_id, event, socket_only, delivered_at, body)
    select order_id, organization_id, event, true, now() - interval '31 days', '{}' from events, generate_series(1, 5001)
    where seq = (select max(seq) from events)`
  await forgetOldEvents(sql, new AbortController().signal)
  expect(await sql`select 1 from events where delivered_at < now() - interval '30 days'`).toHaveLength(0)
})

test('default: a test sends a signed, completed example, and says what the receiver answered', async () => {
  const webhook = await hook()
  await client.ask('changeWebhook', { params: { webhook_id: webhook }, body: { active: false } })
  const answer = await client.ask('testWebhook', { params: { webhook_id: webhook } })
  const [{ headers, body }] = receiver.delivered as [(typeof receiver.delivered)[0]]
  expect(headers['till-webhook-signature']).toBe(createHmac('sha256', 's').update(body).digest('base64'))
  expect(JSON.parse(body.toString())).toMatchObject({
    event: 'ORDER_COMPLETED',
    order: { organization_id: 'org_a', status: 'COMPLETED', test: true },
  })
  expect(answer).toMatchObject({ id: headers['till-webhook-id'], delivered: true, attempt: { status: 200 }, body: body.toString() })
  receiver.answer = () => ({ status: 401 })
  expect(await client.ask('testWebhook', { params: { webhook_id: webhook } })).toMatchObject({
    delivered: false,
    attempt: { status: 401, error: 'the receiver responded with status 401' },
  })
  expect((await list(webhook)).data).toEqual([])
})

test('error: a receiver that never answers ends a test', async () => {
  const webhook = await hook()
  receiver.answer = () => undefined
  const patient = tester
  onTestFinished(() => void (tester = patient))
  tester = webhookTester(engine, { allowLocal: true, timeoutMs: 300 })
  expect(await client.ask('testWebhook', { params: { webhook_id: webhook } })).toMatchObject({
    delivered: false,
    attempt: { error: 'the receiver did not respond within 0.3 s' },
  })
})

test('error: an organisation has two tests at a time, and another is unaffected', async () => {
  const [webhook, other] = [await hook(), await hook('org_b', '/b')]
  receiver.answer = ({ path }) => (path.endsWith('/b') ? { status: 200 } : undefined)
  const leave = new AbortController()
  const test = webhookTester(engine, { allowLocal: true })
  const waiting = [test('org_a', webhook, leave.signal), test('org_a', webhook, leave.signal)]
  await until(() => receiver.delivered.length === 2)
  await expect(test('org_a', webhook, leave.signal)).rejects.toMatchObject({ status: 429 })
  expect((await test('org_b', other, leave.signal)).delivered).toBe(true)
  leave.abort()
  await Promise.all(waiting)
  receiver.answer = () => ({ status: 200 })
  expect((await test('org_a', webhook, new AbortController().signal)).delivered).toBe(true)
})

test('behavior: the package’s client lists, sends again and tests, and its own signature check accepts what arrives', async () => {
  const till = createTill({ apiKey: 'pk_org_a', apiSecret: 'sk_org_a', baseUrl: served.baseUrl })
  const webhook = await hook()
  const { id } = await enqueue(webhook)
  await sql`update deliveries set given_up_at = now() where id = ${id}`
  expect((await till.listDeliveries(webhook, { state: 'failed', limit: 1 })).data.map((delivery) => delivery.id)).toEqual([id])
  expect((await till.resendDelivery(webhook, id)).state).toBe('waiting')
  expect((await till.testWebhook(webhook)).delivered).toBe(true)
  const [{ headers, body }] = receiver.delivered as [(typeof receiver.delivered)[0]]
  const event = await verifyWebhook(body, headers['till-webhook-signature'], 's')
  expect(event.order.test).toBe(true)
})

test('behavior: after three days without success a webhook is marked and its merchant mailed once, until it works again', async () => {
  const webhook = await hook()
  const isFailing = async () => (await client.ask('getWebhook', { params: { webhook_id: webhook } })).failing
  const report = () => reportFailingWebhooks({ sql, log: silent })
  receiver.answer = () => ({ status: 500 })
  const { id } = await enqueue(webhook)
  start([3_600_000])
  await until(async () => (await list(webhook)).data[0]?.attempts.length === 1)
  await report()
  expect(await isFailing()).toBe(false)
  await sql`update webhooks set failing_since = now() - interval '3 days 1 minute' where id = ${webhook}`
  await Promise.all([report(), report(), report()])
  expect(await isFailing()).toBe(true)
  const mails = await claimMails(sql, { free: 10, perOrganization: 10, running: new Map() })
  expect(mails).toMatchObject([
    { organizationId: 'org_a', notice: { kind: 'webhook_failing', webhookId: webhook, host: `127.0.0.1:${receiver.port}` } },
  ])
  const [mail] = mails
  if (mail?.kind !== 'notice') throw new Error('no notice')
  const to = { id: mail.id, name: 'Shop', email: 'owner@shop.example', sender: 'till@pay.example', host: 'pay.example' }
  expect(noticeMail({ ...to, notice: mail.notice })).toMatchObject({
    subject: `Your webhook at 127.0.0.1:${receiver.port} does not work`,
    text: expect.stringContaining(`GET /webhooks/${webhook}/deliveries`),
  })
  receiver.answer = () => ({ status: 200 })
  await resend(webhook, id)
  await until(async () => (await stateOf(webhook, id)) === 'delivered')
  await until(async () => !(await isFailing()))
  expect(await sql`select failing_since from webhooks where id = ${webhook}`).toMatchObject([{ failing_since: null }])
})

test.each(['refused', 'silent'])(
  'behavior: a %s delivery begins the three days, and switching the webhook on again ends them',
  async (kind) => {
    const webhook = await hook()
    const since = async () => (await sql`select failing_since from webhooks where id = ${webhook}`)[0]!.failing_since as Date | null
    if (kind === 'refused') receiver.answer = () => ({ status: 410 })
    else await receiver.close()
    await enqueue(webhook)
    start([3_600_000])
    await until(async () => (await since()) !== null)
    await client.ask('changeWebhook', { params: { webhook_id: webhook }, body: { active: true } })
    expect(await since()).toBeNull()
  },
)
