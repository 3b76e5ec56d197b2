import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { isPublicAddress, outbound, OutboundRefused } from '../../server/http/outbound.ts'
import { deliverer, nextAttemptAt } from '../../server/webhooks/deliver.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { deleteWebhook, insertWebhook, rotateSecret } from '../../server/webhooks/webhook-queries.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { type Delivered, type Receiver, startReceiver } from '../support/service/webhook-receiver.ts'
import { until } from '../support/wait.ts'
import { bareOrder, bareOrganization, silent, writeEvent } from '../events/support.ts'

let database: TestDatabase
let sql: Sql
let receiver: Receiver
let orderId: string
let running: { stop(): Promise<void>; wake(): void }[]
beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, 20)
  await bareOrganization(sql)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  running = []
  receiver = await startReceiver()
  orderId = await bareOrder(sql, 'org_a')
})
afterEach(async () => {
  await Promise.all(running.map((worker) => worker.stop()))
  await receiver.close()
  await sql`delete from webhooks`
})

/** Starts deliveries as a service process does, with short waits. */
function start({
  allowLocal = true,
  schedule = [30, 30, 30, 30, 30, 30, 30],
}: { allowLocal?: boolean; schedule?: readonly number[] } = {}) {
  const stopping = new AbortController()
  const worker = deliverer({ sql, log: silent, allowLocal, schedule })
  const ended = worker.run(stopping.signal)
  running.push({
    wake: worker.wake,
    stop: () => {
      stopping.abort()
      return ended
    },
  })
}

let made = 0
async function hook(url = receiver.url) {
  const id = `wh_${++made}`
  await insertWebhook(sql, 'org_a', { id, url, events: ['ORDER_CREATED'], active: true, include_unsigned: false, secret: `secret ${id}` })
  return id
}

async function enqueue(webhookId: string, name: string, order = orderId) {
  const seq = await writeEvent(sql, order, 'ORDER_CREATED', { body: JSON.stringify({ name }) })
  await sql`insert into deliveries (webhook_id, order_id, seq) values (${webhookId}, ${order}, ${seq})`
  for (const worker of running) worker.wake()
}

const nameOf = ({ body }: Delivered) => (JSON.parse(body.toString()) as { name: string }).name
const names = () => receiver.delivered.map(nameOf)
const sign = (secret: string, body: Buffer) => createHmac('sha256', secret).update(body).digest('base64')
const stateOf = async (webhookId: string) =>
  sql`select attempts, done_at is not null as done, given_up_at is not null as given_up, last_error from deliveries where webhook_id = ${webhookId} order by seq`

test('default: sends the exact bytes, signed, with an id that stays the same over retries', async () => {
  const id = await hook()
  start()
  receiver.answer = (_, index) => ({ status: index < 2 ? 500 : 204 })
  await enqueue(id, 'one')
  await until(async () => (await stateOf(id))[0]?.done)
  expect(names()).toEqual(['one', 'one', 'one'])
  expect(new Set(receiver.delivered.map(({ headers }) => headers['till-webhook-id'])).size).toBe(1)
  for (const { headers, body } of receiver.delivered) {
    expect(headers['till-webhook-signature']).toBe(sign(`secret ${id}`, body))
    expect(body.toString()).toBe('{"name":"one"}')
  }
  expect(await stateOf(id)).toMatchObject([{ attempts: 3, done: true }])
})

test('behavior: any 2xx counts, and everything else is retried', async () => {
  const id = await hook()
  start()
  const statuses = [301, 404, 410, 503, 299]
  receiver.answer = (_, index) => ({ status: statuses[index]! })
  await enqueue(id, 'one')
  await until(async () => (await stateOf(id))[0]?.done)
  expect(receiver.delivered).toHaveLength(5)
  expect((await stateOf(id))[0]).toMatchObject({ attempts: 5, last_error: null })
})

test('behavior: several processes deliver each event once', async () => {
  const id = await hook()
  for (let i = 0; i < 3; i++) start()
  const orders = await Promise.all(Array.from({ length: 20 }, () => bareOrder(sql, 'org_a')))
  await Promise.all(
    orders.map(async (order, index) => {
      for (let turn = 0; turn < 4; turn++) await enqueue(id, `${index}:${turn}`, order)
    }),
  )
  await until(() => receiver.delivered.length >= 80)
  await until(async () => (await stateOf(id)).every(({ done }) => done))
  expect(new Set(names()).size).toBe(80)
  expect(receiver.delivered).toHaveLength(80)
  for (const index of orders.keys())
    expect(names().filter((name) => name.startsWith(`${index}:`))).toEqual([0, 1, 2, 3].map((turn) => `${index}:${turn}`))
})

test('behavior: deliveries stay in order for three attempts; then newer events pass, and the older is still retried', async () => {
  const id = await hook()
  // The fourth attempt is due when the test says so, after newer events have passed it.
  let isHealthy = false
  receiver.answer = (delivery) => ({ status: nameOf(delivery) !== 'stuck' || isHealthy ? 200 : 500 })
  await enqueue(id, 'stuck')
  await enqueue(id, 'next')
  const free = await bareOrder(sql, 'org_a')
  await enqueue(id, 'another order', free)
  start({ schedule: [30, 30, 3_600_000] })
  await until(() => names().includes('next'))
  const before = names().slice(0, names().indexOf('next'))
  expect(before.filter((name) => name === 'stuck')).toHaveLength(3)
  expect(before).toContain('another order')
  isHealthy = true
  await sql`update deliveries set next_at = now() where webhook_id = ${id} and done_at is null`
  await until(async () => (await stateOf(id)).every(({ done }) => done))
  expect(names().filter((name) => name === 'next')).toHaveLength(1)
})

test('behavior: on a machine whose clock is an hour ahead a failed delivery is retried when due, not an hour later', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000)
  const id = await hook()
  start()
  receiver.answer = (_, index) => ({ status: index === 0 ? 500 : 200 })
  await enqueue(id, 'one')
  await until(async () => (await stateOf(id))[0]?.done)
  expect(await stateOf(id)).toMatchObject([{ attempts: 2 }])
})

test('behavior: during a secret rotation both secrets sign', async () => {
  const id = await hook()
  start()
  await sql.begin((tx) => rotateSecret(tx, 'org_a', id, 'new secret'))
  await enqueue(id, 'both')
  await until(() => receiver.delivered.length === 1)
  const [{ headers, body }] = receiver.delivered as [Delivered]
  expect(headers['till-webhook-signature']).toBe(`${sign('new secret', body)},${sign(`secret ${id}`, body)}`)
  await sql`update webhooks set previous_until = now() - interval '1 second' where id = ${id}`
  await enqueue(id, 'new alone')
  await until(() => receiver.delivered.length === 2)
  expect(receiver.delivered[1]!.headers['till-webhook-signature']).toBe(sign('new secret', receiver.delivered[1]!.body))
})

test('behavior: a redirect is a failure and is not followed', async () => {
  const elsewhere = await startReceiver()
  const id = await hook()
  start({ schedule: [3_600_000] })
  receiver.answer = () => ({ status: 307, headers: { location: elsewhere.url } })
  await enqueue(id, 'one')
  await until(async () => (await stateOf(id))[0]?.last_error)
  expect((await stateOf(id))[0]).toMatchObject({ attempts: 1, done: false, last_error: expect.stringMatching(/307/) })
  expect(elsewhere.delivered).toHaveLength(0)
  await elsewhere.close()
})

test('behavior: a webhook that is switched off or deleted gets nothing', async () => {
  const [off, deleted] = [await hook(), await hook()]
  await sql`update webhooks set active = false where id = ${off}`
  await enqueue(off, 'off')
  await enqueue(deleted, 'deleted')
  await sql.begin((tx) => deleteWebhook(tx, 'org_a', deleted))
  const alive = await hook()
  start()
  await enqueue(alive, 'alive')
  await until(() => names().includes('alive'))
  expect(names()).toEqual(['alive'])
})

test('behavior: a receiver that never answers delays no other, and stopping does not wait for it', async () => {
  const [mute, well] = [await hook(), await hook()]
  receiver.answer = (delivery) => (nameOf(delivery).startsWith('mute') ? undefined : { status: 200 })
  const orders = await Promise.all(Array.from({ length: 40 }, () => bareOrder(sql, 'org_a')))
  for (const [index, order] of orders.entries()) await enqueue(mute, `mute ${index}`, order)
  const muted = () => names().filter((name) => name.startsWith('mute'))
  start()
  await until(() => muted().length >= 1)
  await enqueue(well, 'well')
  await until(async () => (await stateOf(well))[0]?.done)
  expect(muted()).toHaveLength(1)
  await running[0]!.stop()
  // The delivery is neither done nor given up, so the next process sends it again.
  expect((await stateOf(mute)).every(({ done, given_up }) => !done && !given_up)).toBe(true)
})

test('error: outside local mode neither private addresses nor plain http are called', async () => {
  const ids = await Promise.all(
    [
      receiver.url,
      `https://127.0.0.1:${receiver.port}/`,
      `https://localhost:${receiver.port}/`,
      'https://[::1]/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest',
      'https://0x7f000001/',
      'https://2130706433/',
      'https://[::ffff:127.0.0.1]/',
    ].map((url) => hook(url)),
  )
  start({ allowLocal: false, schedule: [3_600_000] })
  for (const id of ids) await enqueue(id, 'x')
  for (const id of ids) await until(async () => (await stateOf(id))[0]?.last_error)
  for (const id of ids)
    expect((await stateOf(id))[0]).toMatchObject({
      done: false,
      last_error: expect.stringMatching(/not a public|does not lead to a public|Only https/),
    })
  expect(receiver.delivered).toHaveLength(0)
})

test('error: a name that resolves to a private address is refused when connecting', async () => {
  // `localhost` stands for a public-looking name that resolves to a private address at connect time.
  const call = (url: string, allowLocal: boolean) =>
    outbound({ url, method: 'POST', body: '{}', timeoutMs: 5_000, maxBytes: 0, allowLocal })
  await expect(call(`https://localhost:${receiver.port}/`, false)).rejects.toThrow(OutboundRefused)
  expect((await call(`http://localhost:${receiver.port}/`, true)).status).toBe(200)
  expect(receiver.delivered[0]!.headers.host).toBe(`localhost:${receiver.port}`)
})

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '::1',
  '::',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  'fe80::1',
  'fc00::1',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'nonsense',
  '',
])('behavior: the address %s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})
test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])(
  'behavior: the address %s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test('behavior: retries after 10 s, 1 m, 5 m, 30 m, 2 h, 6 h, 12 h, then daily, for three days', () => {
  const [second, hour] = [1_000, 3_600_000]
  let now = 0
  const waits: number[] = []
  for (let attempts = 1; ; attempts++) {
    const next = nextAttemptAt(attempts, 0, now)
    if (next === undefined) break
    waits.push(next - now)
    now = next
  }
  expect(waits).toEqual([10 * second, 60 * second, 300 * second, 1_800 * second, 2 * hour, 6 * hour, 12 * hour, 24 * hour, 24 * hour])
  expect(now).toBeLessThanOrEqual(72 * hour)
})

test('behavior: a delivery that failed for three days is given up', async () => {
  const id = await hook()
  receiver.answer = () => ({ status: 500 })
  await enqueue(id, 'old')
  await sql`update deliveries set first_tried_at = now() - interval '3 days', attempts = 9 where webhook_id = ${id}`
  start()
  await until(async () => (await stateOf(id))[0]?.given_up)
  expect(receiver.delivered).toHaveLength(1)
})
