import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { waitingDeliveries } from '../../server/webhooks/waiting-deliveries.ts'
import { insertWebhook } from '../../server/webhooks/webhook-queries.ts'
import { bareOrder, bareOrganization, writeEvent } from '../events/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
  await bareOrganization(database.sql)
})
afterAll(() => database?.drop())
beforeEach(() => database.sql`delete from webhooks`)

/** Adds a webhook with so many deliveries, of which the first has been due for so long. */
async function webhook(id: string, deliveries: number, { due = '0 seconds', silent = 0, active = true } = {}): Promise<void> {
  const { sql } = database
  await insertWebhook(sql, 'org_a', { id, url: 'https://shop.example/hook', events: [], active, include_unsigned: false, secret: id })
  await sql`update webhooks set silent = ${silent} where id = ${id}`
  const orderId = await bareOrder(sql, 'org_a')
  const seq = await writeEvent(sql, orderId)
  // Their events do not matter here, so most need none of their own.
  await sql`
    insert into events (order_id, organization_id, event, socket_only, delivered_at, body)
    select ${orderId}, 'org_a', 'ORDER_CREATED', false, now(), '{}' from generate_series(2, ${deliveries})`
  await sql`
    insert into deliveries (webhook_id, order_id, seq, next_at)
    select ${id}, ${orderId}, seq, now() - ${due}::interval from events where order_id = ${orderId} and seq >= ${seq}`
}

test('default: nothing waits', async () => {
  expect(await waitingDeliveries(database.sql)).toEqual({ deliveries: 0, endpoints: 0, silent: 0, failing: 0, overdue: 0 })
})

test('default: counts deliveries and their webhooks, and says how late the first is', async () => {
  await webhook('wh_a', 2, { due: '10 minutes' })
  await webhook('wh_b', 3)
  const waiting = await waitingDeliveries(database.sql)
  expect(waiting).toMatchObject({ deliveries: 5, endpoints: 2, silent: 0 })
  expect(waiting.overdue).toBeGreaterThanOrEqual(600)
  await database.sql`update webhooks set failing_since = now() - interval '2 hours' where id = 'wh_b'`
  expect(await waitingDeliveries(database.sql)).toMatchObject({ failing: 1, silent: 0 })
  await database.sql`update deliveries set done_at = now() where webhook_id = 'wh_a'`
  expect(await waitingDeliveries(database.sql)).toMatchObject({ deliveries: 3, endpoints: 1 })
})

test('behavior: the backlog of one webhook is counted up to a limit, and hides no other', async () => {
  await webhook('wh_a', 500)
  await webhook('wh_z', 1, { due: '1 hour' })
  const waiting = await waitingDeliveries(database.sql)
  expect(waiting).toMatchObject({ deliveries: 101, endpoints: 2 })
  expect(waiting.overdue).toBeGreaterThanOrEqual(3600)
})

test('behavior: who does not answer, or has switched a webhook off, makes nothing late', async () => {
  await webhook('wh_silent', 4, { due: '2 days', silent: 3 })
  await webhook('wh_off', 4, { due: '2 days', active: false })
  expect(await waitingDeliveries(database.sql)).toEqual({ deliveries: 4, endpoints: 1, silent: 1, failing: 0, overdue: 0 })
})
