import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailerParts, sendMails } from '../../server/invoices/send-mails.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { bareOrder, bareOrganization, silent } from '../events/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, 20)
  await Promise.all(['org_many', 'org_one'].map((id) => bareOrganization(sql, id)))
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

let made = 0
async function enqueue(organizationId: string): Promise<void> {
  const id = `inv_${++made}`
  const orderId = await bareOrder(sql, organizationId)
  const data = {
    invoice: { no: id, date: '2026-01-01', due_date: '2026-02-01' },
    from: { name: organizationId, email: `${organizationId}@shop.example` },
    recipient: { name: 'Payer', email: 'payer@example.com' },
    items: [{ name: 'Coffee', quantity: '1', unit_price: '1', tax: '0' }],
  }
  const now = new Date()
  await sql`insert into invoices ${sql({ id, organization_id: organizationId, data: sql.json(data) as never, fiat_unit: 'usd', locale: 'en', search: '', order_id: orderId, created_at: now, updated_at: now, published_at: now })}`
  await sql`insert into mails (id, kind, invoice_id, order_id) values (${`mail_${made}`}, 'invoice_paid_twice', ${id}, ${orderId})`
}

test('behavior: a hundred hanging mails delay no other organisation’s mail', async () => {
  for (let index = 0; index < 100; index++) await enqueue('org_many')
  const attempted: string[] = []
  const stopping = new AbortController()
  const ends: (() => void)[] = []
  const mail: MailerParts['mail'] = {
    send: ({ to }) => {
      attempted.push(to.address)
      return to.address.startsWith('org_many') ? new Promise((resolve) => ends.push(resolve)) : Promise.resolve()
    },
  }
  const engine = { sql, log: silent, payUrl: 'https://pay.example' } as unknown as MailerParts['engine']
  const ended = sendMails(
    { engine, mail, sender: 'till@pay.example', wordsOf: () => Promise.reject(new Error('nothing is printed')) as never },
    stopping.signal,
  )
  await until(() => attempted.length === 2)
  await enqueue('org_one')
  await until(
    async () =>
      (await sql`select 1 from mails m join invoices i on i.id = m.invoice_id where i.organization_id = 'org_one' and sent_at is not null`)
        .length === 1,
  )
  expect(attempted.filter((to) => to.startsWith('org_many'))).toHaveLength(2)
  // A freed slot goes to the next organisation.
  ends[0]?.()
  await until(() => attempted.filter((to) => to.startsWith('org_many')).length === 3)
  stopping.abort()
  for (const end of ends) end()
  await ended
})
