import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Sql } from '../../server/database/connect.ts'
import { eventIds } from '../../server/events/event-ids.ts'
import { events } from '../../server/events/event-routes.ts'
import { type Client, createClient, signedHeaders } from '../support/client/client.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { type Served, serveRoutes } from '../support/service/serve-routes.ts'
import { until } from '../support/wait.ts'
import { bareOrder, bareOrganization, writeEvent } from './support.ts'

/** `GET /events` on PostgreSQL: a merchant catches up, and misses nothing. */

let database: TestDatabase
let sql: Sql
let served: Served
let made = 0
beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url)
  served = await serveRoutes(sql, (route) => events(route, sql))
})
afterAll(async () => {
  await served?.close()
  await sql.end()
  await database.drop()
})

async function merchant() {
  const id = await bareOrganization(sql, `org_${++made}`)
  const client = createClient(served.baseUrl, { apiKey: `pk_${id}`, secret: `sk_${id}` })
  const announce = async (orderId?: string, event = 'ORDER_CREATED', at?: Date) => {
    const order = orderId ?? (await bareOrder(sql, id))
    await writeEvent(sql, order, event, { organizationId: id, at, body: bodyOf(order, event, at) })
    return order
  }
  return { id, client, announce }
}
const bodyOf = (id: string, event: string, at = new Date()) => JSON.stringify({ event, delivered_at: at.toISOString(), order: { id } })
/** These events hold no whole order, so the answers are read without their schema. */
async function ask(client: Client, query: Record<string, string> = {}) {
  const headers = signedHeaders(client.keys, 'GET', '/events')
  const answer = await client.raw('GET', `/events?${new URLSearchParams(query)}`, { headers })
  expect(answer.status, answer.text).toBe(200)
  return answer.json() as { data: { id: string; event: string; order: { id: string } }[]; has_more: boolean }
}
/** Any transaction on the server, that of another test too, holds back what was written after it began. Returns the list once it shows the order's event. */
const askUntilListed = (client: Client, orderId: string, query?: Record<string, string>) =>
  until(
    async () => {
      const list = await ask(client, query)
      return list.data.some(({ order }) => order.id === orderId) ? list : undefined
    },
    { what: `${orderId} is listed` },
  )

test('default: events are listed oldest first, by order and by event, and one page continues after another', async () => {
  const { client, announce } = await merchant()
  const first = await announce()
  const second = await announce()
  await announce(first, 'ORDER_COMPLETED')
  await askUntilListed(client, first, { event: 'ORDER_COMPLETED' })
  const shown = async (query?: Record<string, string>) => (await ask(client, query)).data.map(({ event, order }) => [event, order.id])
  expect(await shown()).toEqual([
    ['ORDER_CREATED', first],
    ['ORDER_CREATED', second],
    ['ORDER_COMPLETED', first],
  ])
  expect(await shown({ order_id: first })).toEqual([
    ['ORDER_CREATED', first],
    ['ORDER_COMPLETED', first],
  ])
  expect(await shown({ event: 'ORDER_COMPLETED' })).toEqual([['ORDER_COMPLETED', first]])
  const page = await ask(client, { limit: '2' })
  expect(page.has_more).toBe(true)
  const next = await ask(client, { limit: '2', after: page.data[1]!.id })
  expect([next.has_more, next.data.map(({ event }) => event)]).toEqual([false, ['ORDER_COMPLETED']])
  expect((await ask(client, { after: next.data[0]!.id })).data).toEqual([])
})

test('behavior: nothing can appear behind an event that was listed, even from a transaction that began before it', async () => {
  const { id, client, announce } = await merchant()
  const order = await bareOrder(sql, id)
  const later = await sql.begin(async (tx) => {
    await writeEvent(tx, order, 'ORDER_CREATED', { organizationId: id, body: bodyOf(order, 'ORDER_CREATED') })
    const last = await announce()
    expect((await ask(client)).data).toEqual([])
    return last
  })
  const { data } = await askUntilListed(client, later)
  expect(data.map((event) => event.order.id)).toEqual([order, later])
})

test('behavior: only its own announcements of the last 30 days, and strangers’ orders only where it asks for them', async () => {
  const [mine, other] = [await merchant(), await merchant()]
  const order = await mine.announce()
  await mine.announce(undefined, 'ORDER_CREATED', new Date(Date.now() - 31 * 86_400_000))
  await other.announce()
  const unsigned = await mine.announce()
  await sql`update events set unsigned = true where order_id = ${unsigned}`
  const socketOnly = await mine.announce()
  await sql`update events set socket_only = true where order_id = ${socketOnly}`
  const last = await mine.announce()
  await askUntilListed(mine.client, last)
  const orders = async (query?: Record<string, string>) => (await ask(mine.client, query)).data.map((event) => event.order.id)
  expect(await orders()).toEqual([order, last])
  expect(await orders({ include_unsigned: 'true' })).toEqual([order, unsigned, last])
})

test('error: what an event is listed after is an event of its own that is still there', async () => {
  const [mine, other] = [await merchant(), await merchant()]
  const [foreign] = (await askUntilListed(other.client, await other.announce())).data
  const [own] = (await askUntilListed(mine.client, await mine.announce())).data
  const refused = (after: string) => mine.client.refused('listEvents', 400, { query: { after } })
  for (const after of [foreign!.id, 'evt_1', 'x', `evt_${'A'.repeat(22)}`])
    expect(await refused(after)).toMatchObject({ details: { issues: [{ path: 'after' }] } })
  await sql`delete from events where organization_id = ${mine.id}`
  expect((await refused(own!.id)).message).toContain('last 30 days')
  await mine.client.refused('listEvents', 400, { query: { event: 'ORDER_LOST' } })
  await mine.client.refused('listEvents', 400, { query: { include_unsigned: 'yes' } })
})

test('property: an id gives back its number to its own organisation, and nothing to another', () => {
  const ids = eventIds(randomBytes(16))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.string(), fc.string(), (seq, owner, other) => {
      const id = ids.idOf(owner, seq)
      expect(id).toMatch(/^evt_[\w-]{22}$/)
      expect(ids.seqOf(owner, id)).toBe(seq)
      if (other !== owner) expect(ids.seqOf(other, id)).toBeUndefined()
    }),
  )
})
