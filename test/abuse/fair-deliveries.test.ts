import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { deliverer } from '../../server/webhooks/deliver.ts'
import { type DeliveryLimits, pickDeliveries } from '../../server/webhooks/pick-deliveries.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { insertWebhook } from '../../server/webhooks/webhook-queries.ts'
import { bareOrder, bareOrganization, silent, writeEvent } from '../events/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { type Delivered, type Receiver, startReceiver } from '../support/service/webhook-receiver.ts'
import { until } from '../support/wait.ts'

/** Receivers that accept connections and never answer delay only unproven endpoints of their own organisation. */

let database: TestDatabase
let sql: Sql
let receiver: Receiver
let stops: (() => Promise<void>)[]
beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, 20)
  await Promise.all(['org_hostile', 'org_victim'].map((id) => bareOrganization(sql, id)))
})
afterAll(async () => {
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
})

function start(more: { answerWithinMs?: number; schedule?: readonly number[] } = {}) {
  const stopping = new AbortController()
  const ended = deliverer({ sql, log: silent, allowLocal: true, ...more }).run(stopping.signal)
  const stop = () => {
    stopping.abort()
    return ended
  }
  stops.push(stop)
  return stop
}

let made = 0
async function hook(organizationId: string, path: string) {
  const id = `wh_${++made}`
  await insertWebhook(sql, organizationId, {
    id,
    url: receiver.url + path,
    events: ['ORDER_CREATED'],
    active: true,
    include_unsigned: false,
    secret: 's',
  })
  return id
}
async function enqueue(organizationId: string, webhookIds: readonly string[], orderId?: string) {
  const order = orderId ?? (await bareOrder(sql, organizationId))
  const seq = await writeEvent(sql, order, 'ORDER_CREATED', { organizationId })
  for (const id of webhookIds) await sql`insert into deliveries (webhook_id, order_id, seq) values (${id}, ${order}, ${seq})`
  return order
}
const isDone = async (webhookId: string) =>
  (await sql`select 1 from deliveries where webhook_id = ${webhookId} and done_at is null`).length === 0
const arrived = (path: string) => receiver.delivered.filter((delivery) => delivery.path.endsWith(path))

test('behavior: six receivers that never answer and sixty orders delay no other organisation', async () => {
  receiver.answer = (delivery) => (delivery.path.includes('tar') ? undefined : { status: 200 })
  const tar = await Promise.all(Array.from({ length: 6 }, (_, index) => hook('org_hostile', `/tar${index}`)))
  for (let order = 0; order < 60; order++) await enqueue('org_hostile', tar)
  const answering = await hook('org_victim', '/well')
  start({ answerWithinMs: 600_000 })
  await until(() => receiver.delivered.length >= 4)
  await enqueue('org_victim', [answering])
  // The silent deliveries do not time out within this test, so this one completes beside them.
  await until(() => isDone(answering))
  expect(arrived('/well')).toHaveLength(1)
  expect(receiver.delivered.length - 1).toBeLessThanOrEqual(8)
})

test('behavior: a receiver that answers is not delayed by fifteen silent ones of its own organisation', async () => {
  receiver.answer = (delivery) => (delivery.path.includes('tar') ? undefined : { status: 200 })
  const well = await hook('org_hostile', '/well')
  start({ answerWithinMs: 600_000 })
  await enqueue('org_hostile', [well])
  await until(() => isDone(well))
  const tar = await Promise.all(Array.from({ length: 15 }, (_, index) => hook('org_hostile', `/tar${index}`)))
  for (let order = 0; order < 20; order++) await enqueue('org_hostile', tar)
  await until(() => receiver.delivered.length >= 5)
  for (let order = 0; order < 20; order++) await enqueue('org_hostile', [well])
  await until(() => isDone(well))
  expect(arrived('/well')).toHaveLength(21)
  expect(receiver.delivered.length - 21).toBe(4)
})

test('behavior: a silent endpoint gets one delivery at a time until it first answers, and deliveries stay in order', async () => {
  const id = await hook('org_hostile', '/tar')
  receiver.answer = () => undefined
  const orders: string[] = []
  for (let order = 0; order < 12; order++) orders.push(await enqueue('org_hostile', [id]))
  for (const order of orders) await enqueue('org_hostile', [id], order)
  const stop = start({ answerWithinMs: 100, schedule: Array.from({ length: 20 }, () => 50) })
  await until(async () => (await sql`select 1 from webhooks where id = ${id} and silent >= 3`).length === 1)
  await until(async () => (await sql`select 1 from deliveries where webhook_id = ${id} and leased_until > now()`).length === 0)
  const before = receiver.delivered.length
  // A probe is due, and so are more deliveries.
  await sql`update webhooks set probe_at = now() where id = ${id}`
  await until(() => receiver.delivered.length > before)
  await until(
    async () => (await sql`select 1 from webhooks where id = ${id} and probe_at < now() + interval '1 minute' and silent > 3`).length === 1,
  )
  expect(receiver.delivered.length).toBe(before + 1)
  await stop()
  receiver.answer = () => ({ status: 200 })
  start()
  await sql`update webhooks set probe_at = now() where id = ${id}`
  await until(() => isDone(id))
  expect(await sql`select silent, probe_at from webhooks where id = ${id}`).toEqual([{ silent: 0, probe_at: null }])
  const taken = receiver.delivered.slice(before + 1).map(orderOf)
  for (const order of orders) expect(taken.filter((each) => each === order)).toHaveLength(2)
  const rows = await sql`select order_id, seq, done_at from deliveries where webhook_id = ${id} order by order_id, seq`
  for (let at = 1; at < rows.length; at++)
    if (rows[at]!.order_id === rows[at - 1]!.order_id) expect(rows[at]!.done_at >= rows[at - 1]!.done_at).toBe(true)
})

test('behavior: an endpoint that answers 500 is not silent: every delivery is attempted, a limited number at a time', async () => {
  const id = await hook('org_hostile', '/well')
  receiver.answer = () => ({ status: 500 })
  for (let order = 0; order < 10; order++) await enqueue('org_hostile', [id])
  start({ schedule: [3_600_000] })
  await until(() => receiver.delivered.length === 10)
  await until(async () => (await sql`select 1 from deliveries where webhook_id = ${id} and leased_until is null`).length === 10)
  expect(await sql`select silent from webhooks where id = ${id}`).toEqual([{ silent: 0 }])
})

test('behavior: two processes send one probe between them', async () => {
  const id = await hook('org_hostile', '/tar')
  receiver.answer = () => undefined
  await sql`update webhooks set silent = 5, probe_at = now() where id = ${id}`
  for (let order = 0; order < 10; order++) await enqueue('org_hostile', [id])
  const well = await hook('org_victim', '/well')
  start({ answerWithinMs: 600_000 })
  start({ answerWithinMs: 600_000 })
  await until(() => receiver.delivered.length === 1)
  // Both processes have polled again by the time these deliveries arrive.
  receiver.answer = (delivery) => (delivery.path.includes('tar') ? undefined : { status: 200 })
  for (let order = 0; order < 20; order++) await enqueue('org_victim', [well])
  await until(() => isDone(well))
  expect(arrived('/tar')).toHaveLength(1)
})

const orderOf = ({ body }: Delivered) => (JSON.parse(body.toString()) as { order: { id: string } }).order.id

const shares: DeliveryLimits = {
  inFlight: 64,
  perOrganization: 8,
  perWebhook: 4,
  unproven: 4,
  probes: 16,
  probesPerOrganization: 2,
  bytes: 1_000,
}
let next = 0
const due = (organizationId: string, webhookId: string, count: number, more: { endpoint?: 'unproven' | 'silent'; bytes?: number } = {}) =>
  Array.from({ length: count }, () => ({ id: `d${++next}`, organizationId, webhookId, bytes: 1, endpoint: 'answers' as const, ...more }))
function by(chosen: readonly { organizationId: string }[]) {
  const counts: Record<string, number> = {}
  for (const { organizationId } of chosen) counts[organizationId] = (counts[organizationId] ?? 0) + 1
  return counts
}

test('behavior: delivery slots go to organisations in turn, and the last ones singly', () => {
  expect(
    by(pickDeliveries([...due('a', 'a1', 50), ...due('a', 'a2', 50), ...due('a', 'a3', 50), ...due('b', 'b1', 1)], [], shares)),
  ).toEqual({
    a: 8,
    b: 1,
  })
  const greedy = Array.from({ length: 12 }, (_, index) => ['x', 'y'].flatMap((hook) => due(`greedy${index}`, `${index}${hook}`, 8))).flat()
  const first = pickDeliveries(greedy, [], shares)
  expect(first.length).toBeLessThan(64)
  // A late organisation gets a slot although others use all of theirs.
  expect(
    pickDeliveries([...greedy, ...due('late', 'late1', 1)], first, shares).some(({ organizationId }) => organizationId === 'late'),
  ).toBe(true)
})

test('behavior: an endpoint has a limit of its own, and unproven endpoints leave half of the slots free', () => {
  const queue = due('a', 'a1', 10)
  expect(pickDeliveries(queue, [], shares)).toEqual(queue.slice(0, 4))
  expect(pickDeliveries(due('a', 'new', 10, { endpoint: 'unproven' }), [], shares)).toHaveLength(1)
  const unproven = Array.from({ length: 10 }, (_, index) => due('a', `new${index}`, 2, { endpoint: 'unproven' })).flat()
  const chosen = pickDeliveries([...unproven, ...queue], [], shares)
  expect(chosen.filter(({ webhookId }) => webhookId === 'a1')).toHaveLength(4)
  expect(chosen).toHaveLength(8)
})

test('behavior: probes have slots of their own, and bodies in flight have a byte limit', () => {
  const probes = Array.from({ length: 9 }, (_, index) => due('a', `silent${index}`, 1, { endpoint: 'silent' })).flat()
  expect(by(pickDeliveries([...probes, ...due('a', 'well', 9)], [], shares))).toEqual({ a: 2 + 4 })
  expect(pickDeliveries(due('a', 'a1', 4, { bytes: 400 }), [], shares)).toHaveLength(2)
  expect(pickDeliveries(due('a', 'a1', 4, { bytes: 4_000 }), [], shares)).toHaveLength(1)
})
