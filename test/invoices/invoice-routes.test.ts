import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import { startMailbox, type LocalMailbox } from '../../local/mailbox.ts'
import type { Invoice } from '../../src/wire/invoice.ts'
import type { Client } from '../support/client/client.ts'
import { readPdf } from '../support/browser/pdf.ts'
import { expireUntil, untilStatus } from '../support/orders/payments.ts'
import { startService } from '../support/service/service.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

let stage: Stage
let mailbox: LocalMailbox
let process: Process
let merchant: Merchant
let client: Client
let other: Client
beforeAll(async () => {
  ;[stage, mailbox] = await Promise.all([startStage(), startMailbox()])
  process = await stage.start({ SMTP_URL: mailbox.url, MAIL_FROM: 'invoices@till.example' })
  merchant = await stage.merchant()
  client = merchant.at(process)
  other = (await stage.merchant()).at(process)
})
afterAll(async () => {
  await stage?.close()
  await mailbox?.stop()
  expect(process?.service.output()).not.toMatch(/"level":(50|60)/)
})

let numbers = 0
const invoice = (more: Record<string, unknown> = {}) => ({
  from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
  recipient: { email: `accounts${++numbers}@harbour.example`, name: 'Harbour Studio' },
  invoice: { no: `NW-2026-${String(numbers).padStart(4, '0')}`, date: '2026-05-12', due_date: '2026-05-26' },
  items: [
    { name: 'Ethiopia Guji, whole bean', quantity: '1', tax: '7', unitPrice: '26.64' },
    { name: 'Porcelain dripper, size 02', quantity: '1', tax: '19', unitPrice: '11.76' },
    { name: 'Delivery', quantity: '2', unitPrice: '0.005' },
  ],
  ...more,
})
const ask = { id: (invoice_id: string) => ({ params: { invoice_id } }) }
const mailsTo = (address: string) => mailbox.messages.filter((mail) => mail.to.includes(address))
const recipientOf = ({ data }: Invoice) => data.recipient.email

describe('publishing', () => {
  test('default: publishing makes a SALE order over the exact total and mails a PDF with the link', async () => {
    const body = invoice()
    const made = await client.ask('createInvoice', { body })
    expect(made).toMatchObject({
      data: body,
      fiat_unit: 'usd',
      total: '42.50',
      payment_url: `${process.service.payUrl}/invoice/${made.id}`,
    })
    expect(made.published_at).toBeDefined()
    expect(made.orders).toHaveLength(1)
    const [order] = made.orders
    expect(made.order_id).toBe(order?.id)
    expect(order).toMatchObject({
      mode: 'SALE',
      status: 'PENDING',
      fulfillment: { fiat_unit: 'usd', amount: { ui: '42.5', raw: '42500000' } },
      metadata: { reference: body.invoice.no },
    })
    expect(await client.ask('getInvoice', ask.id(made.id))).toEqual(made)
    expect(await client.ask('getOrder', { params: { order_id: order!.id } })).toEqual(order)

    const mail = await until(() => mailsTo(recipientOf(made))[0], { what: 'the mail' })
    expect(mail.email).toMatchObject({
      subject: `Invoice ${body.invoice.no} from Northwind Coffee`,
      from: { name: 'Northwind Coffee', address: 'invoices@till.example' },
      replyTo: [{ address: 'billing@northwind.example' }],
    })
    expect(mail.email.text).toContain(made.payment_url)
    expect(mail.email.text).toContain('$42.50')
    expect(mail.email.html).toContain(`href="${made.payment_url}"`)
    const [pdf] = mail.email.attachments
    expect(pdf).toMatchObject({ mimeType: 'application/pdf', filename: `invoice-${body.invoice.no}.pdf` })
    const read = await readPdf(new Uint8Array(pdf!.content as ArrayBuffer))
    for (const phrase of [body.invoice.no, 'Harbour Studio', '$42.50', 'Ethiopia Guji', made.payment_url])
      expect(read.text).toContain(phrase)
    expect(new Set(read.links)).toEqual(new Set([made.payment_url]))
    expect(read.qr).toBe(made.payment_url)
  })

  test('behavior: nobody is notified of a draft before it is published by its id, and only drafts can be deleted', async () => {
    const draft = await client.ask('createInvoiceDraft', { body: invoice({ fiat_unit: 'eur', locale: 'de' }) })
    expect(draft).toMatchObject({ orders: [], fiat_unit: 'eur', locale: 'de' })
    expect([draft.order_id, draft.published_at, draft.archived_at]).toEqual([undefined, undefined, undefined])
    expect((await fetch(draft.payment_url)).status).toBe(404)
    await client.refused('archiveInvoice', 409, ask.id(draft.id))
    const made = await client.ask('createInvoice', { body: { id: draft.id } })
    expect(made).toMatchObject({ id: draft.id, data: draft.data, created_at: draft.created_at, order_id: made.orders[0]!.id })
    expect(made.orders[0]).toMatchObject({ fulfillment: { fiat_unit: 'eur', amount: { ui: '45.9' } } })
    const mail = await until(() => mailsTo(recipientOf(made))[0])
    expect(mail.email.html).toContain('lang="de"')
    await client.refused('createInvoice', 409, { body: { id: draft.id } })
    await client.refused('deleteInvoice', 409, ask.id(draft.id))
    const gone = await client.ask('createInvoiceDraft', { body: invoice() })
    await client.ask('deleteInvoice', ask.id(gone.id))
    await client.refused('getInvoice', 404, ask.id(gone.id))
    await client.refused('deleteInvoice', 404, ask.id(gone.id))
    expect(mailsTo(recipientOf(made))).toHaveLength(1)
    expect(mailsTo(gone.data.recipient.email)).toHaveLength(0)
  })

  test('behavior: an archived invoice stays readable and cannot change again', async () => {
    const made = await client.ask('createInvoice', { body: invoice() })
    const archived = await client.ask('archiveInvoice', ask.id(made.id))
    expect(archived.archived_at).toBeDefined()
    expect(archived.updated_at > made.updated_at).toBe(true)
    expect(await client.ask('archiveInvoice', ask.id(made.id))).toEqual(archived)
    expect(await client.ask('getInvoice', ask.id(made.id))).toEqual(archived)
  })

  test('behavior: the same key and body make one invoice and one mail', async () => {
    const body = invoice()
    const sent = { body, headers: { 'idempotency-key': `invoice-${body.invoice.no}` } }
    const [first, second] = await Promise.all([client.ask('createInvoice', sent), client.ask('createInvoice', sent)])
    expect(second).toEqual(first)
    await until(() => mailsTo(recipientOf(first)).length > 0)
    expect((await client.ask('listInvoices', { query: { search: body.invoice.no } })).data).toHaveLength(1)
  })

  test('behavior: a draft published twice at once is published once', async () => {
    const draft = await client.ask('createInvoiceDraft', { body: invoice() })
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => client.ask('createInvoice', { body: { id: draft.id } })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await client.ask('getInvoice', ask.id(draft.id))).orders).toHaveLength(1)
  })

  test.each([
    ['no items', 400, { items: [] }],
    ['a negative price', 400, { items: [{ name: 'x', quantity: '1', unitPrice: '-1' }] }],
    ['a float', 400, { items: [{ name: 'x', quantity: 1, unitPrice: '1' }] }],
    ['a date that is none', 400, { invoice: { no: '1', date: '2026-02-30', due_date: '2026-03-01' } }],
    ['due before it is written', 422, { invoice: { no: '1', date: '2026-03-02', due_date: '2026-03-01' } }],
    ['nothing to pay', 422, { items: [{ name: 'x', quantity: '1', unitPrice: '0' }] }],
    ['more than any payment', 422, { items: [{ name: 'x', quantity: '9'.repeat(70), unitPrice: '9'.repeat(70) }] }],
    ['no mail address', 400, { recipient: { name: 'x', email: 'x' } }],
    ['a unit of no state', 400, { fiat_unit: 'chf' }],
    ['an address of too many lines', 400, { from: { name: 'x', email: 'x@x.example', address: '1\n2\n3\n4\n5\n6\n7' } }],
    ['an address of none', 400, { from: { name: 'x', email: 'x@x.example', address: ' \n ' } }],
    ['a tax number with a control character', 400, { from: { name: 'x', email: 'x@x.example', tax_number: 'DE\u0000' } }],
    ['a language not spoken', 400, { locale: 'xx' }],
  ])('error: %s is %i', async (_, status, more) => {
    await client.refused('createInvoice', status, { body: invoice(more) })
  })

  test('error: another organisation can neither read, publish, archive nor delete it', async () => {
    const draft = await client.ask('createInvoiceDraft', { body: invoice() })
    for (const name of ['getInvoice', 'archiveInvoice', 'deleteInvoice'] as const) await other.refused(name, 404, ask.id(draft.id))
    await other.refused('createInvoice', 404, { body: { id: draft.id } })
    expect((await other.ask('listInvoices')).pagination.total_count).toBe(0)
  })
})

test('behavior: the address and tax number of an organisation are stored with an invoice that names neither', async () => {
  const seller = await stage.merchant()
  const known = { address: 'Kai 7\n20457 Hamburg', tax_number: 'DE 811 907 980' }
  await stage.database.sql`update organizations set ${stage.database.sql(known)} where id = ${seller.organization.id}`
  const at = seller.at(process)
  const from = { email: 'billing@northwind.example', name: 'Northwind <Coffee>' }
  const plain = await at.ask('createInvoice', { body: invoice({ from }) })
  expect(plain.data.from).toEqual({ ...from, ...known })
  const page = await (await fetch(plain.payment_url)).text()
  for (const line of ['Kai 7', '20457 Hamburg', 'DE 811 907 980']) expect(page).toContain(`<bdi>${line}</bdi>`)
  // A later change of the organisation changes no paper.
  await stage.database.sql`update organizations set address = 'Elsewhere' where id = ${seller.organization.id}`
  expect((await at.ask('getInvoice', ask.id(plain.id))).data.from).toEqual(plain.data.from)
  const own = { ...from, address: '<script>alert(1)</script>' }
  const named = await at.ask('createInvoice', { body: invoice({ from: own }) })
  expect(named.data.from).toEqual(own)
  expect(await (await fetch(named.payment_url)).text()).not.toContain('<script>alert(1)')
})

test('behavior: the list is newest first, paged, and searched by number, name and address in any case', async () => {
  const lister = (await stage.merchant()).at(process)
  const names = ['Ödön Café', 'Straße 100%_', 'Zoë']
  const made: Invoice[] = []
  for (const name of names)
    made.push(await lister.ask('createInvoiceDraft', { body: invoice({ recipient: { name, email: `${name.length}@EXAMPLE.com` } }) }))
  const all = await lister.ask('listInvoices')
  expect(all.data.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toReversed())
  expect(all.pagination).toEqual({ total_count: 3, limit: 20, offset: 0 })
  expect((await lister.ask('listInvoices', { query: { limit: '1', offset: '1' } })).data.map(({ id }) => id)).toEqual([made[1]!.id])
  const found = async (search: string) =>
    (await lister.ask('listInvoices', { query: { search } })).data.map(({ data }) => data.recipient.name)
  expect(await found('ÖDÖN')).toEqual(['Ödön Café'])
  expect(await found('100%_')).toEqual(['Straße 100%_'])
  expect(await found('%')).toEqual(['Straße 100%_'])
  expect(await found('@example')).toHaveLength(3)
  expect(await found(made[2]!.data.invoice.no.toLowerCase())).toEqual(['Zoë'])
  expect(await found("'; drop table invoices; --")).toEqual([])
  expect(await found('  ')).toHaveLength(3)
})

test('behavior: a mail that the server defers is sent later under the same id, and one that it rejects is given up', async () => {
  mailbox.answerWith('busy')
  const late = await client.ask('createInvoice', { body: invoice() })
  const state = async (id: string) =>
    (await stage.database.sql`select id, attempts, sent_at, given_up_at, last_error from mails where invoice_id = ${id}`)[0]!
  await until(async () => (await state(late.id)).last_error)
  mailbox.answerWith('no_such_user')
  const never = await client.ask('createInvoice', { body: invoice() })
  await until(async () => (await state(never.id)).given_up_at)
  mailbox.answerWith(undefined)
  await stage.database.sql`update mails set next_at = now() where invoice_id = ${late.id}`
  const mail = await until(() => mailsTo(recipientOf(late))[0])
  expect(mail.email.messageId).toBe(`<${(await state(late.id)).id}@127.0.0.1>`)
  await until(async () => (await state(late.id)).sent_at)
  expect(mailsTo(recipientOf(late))).toHaveLength(1)
  expect(mailsTo(recipientOf(never))).toHaveLength(0)
})

test('behavior: pages in front of another service show its invoices through signed calls', async () => {
  const made = await client.ask('createInvoice', { body: invoice() })
  const pages = await startService({ env: { BASE_URL: process.baseUrl, API_KEY: merchant.keys.apiKey, API_SECRET: merchant.keys.secret } })
  try {
    const answer = await fetch(`${pages.payUrl}/invoice/${made.id}`)
    const html = await answer.text()
    expect([answer.status, html.includes(made.data.invoice.no), html.includes('$42.50')]).toEqual([200, true, true])
    expect(html).not.toContain(merchant.keys.secret)
    expect((await fetch(`${pages.payUrl}/invoice/${made.id}/pdf`)).headers.get('content-type')).toBe('application/pdf')
    expect((await fetch(`${pages.payUrl}/invoice/inv_none`)).status).toBe(404)
  } finally {
    await pages.close()
  }
})

describe.concurrent('paying', () => {
  let taken = 0
  const payer = () => payers[taken++]!
  const instructed = async (made: Pick<Invoice, 'orders'>) => {
    const [order] = made.orders
    const { asset } = order!.fulfillment
    const { data } = await client.ask('requestPayment', {
      params: { order_id: order!.id },
      body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
    })
    const step = data.steps[0]
    if (step?.kind !== 'deposit') throw new Error('no deposit step')
    return { id: order!.id, to: step.data.deposit_address }
  }
  const renewed = (made: Invoice) =>
    fetch(made.payment_url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'act=renew',
    })
  const read = (made: Invoice) => client.ask('getInvoice', ask.id(made.id))
  const expired = async () => {
    const made = await client.ask('createInvoice', { body: invoice() })
    const first = await instructed(made)
    await expireUntil(stage, client, first.id)
    return { made, first }
  }

  test('default: the status follows the money, and the customer gets one mail in his language with the receipt and its rates', async () => {
    const draft = await client.ask('createInvoiceDraft', { body: invoice({ fiat_unit: 'eur', locale: 'de' }) })
    expect(draft.status).toBe('draft')
    const due = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
    const made = await client.ask('createInvoice', {
      body: invoice({ invoice: { no: 'NW-EUR', date: '2026-05-12', due_date: due }, fiat_unit: 'eur', locale: 'de' }),
    })
    expect(made.status).toBe('open')
    expect(made.orders[0]!.fulfillment).toMatchObject({ fiat_unit: 'eur', rate_usd: '1', fiat_unit_usd: '1.08' })
    const { id, to } = await instructed(made)
    const from = payer()
    await stage.base.sendToken(from, 'USDC', to, 20_000_000n)
    await untilStatus(client, id, 'PARTIAL_PAYMENT')
    expect((await read(made)).status).toBe('partly_paid')
    await stage.base.sendToken(from, 'USDC', to, 25_900_000n)
    await untilStatus(client, id, 'COMPLETED')
    expect((await read(made)).status).toBe('paid')
    const mail = await until(() => mailsTo(recipientOf(made)).find(({ email }) => email.subject?.includes('bezahlt')))
    expect(mail.email).toMatchObject({ replyTo: [{ address: 'billing@northwind.example' }], attachments: [] })
    const receipt = `${made.payment_url}/receipt?locale=de`
    expect(mail.email.text).toContain(receipt)
    expect(mail.email.text).toContain('42,50\u00A0€')
    const html = await (await fetch(receipt)).text()
    expect(html).toContain('1 USDC = 1,00\u00A0$')
    expect(html).toContain('1 EUR = 1,08\u00A0$')
    expect(await stage.database.sql`select kind from mails where invoice_id = ${made.id} order by kind`).toMatchObject([
      { kind: 'invoice' },
      { kind: 'invoice_paid' },
    ])
  })

  test('behavior: a new price makes the next order, one per expiry however often it is requested, and only when needed', async () => {
    const fresh = await client.ask('createInvoice', { body: invoice() })
    expect((await renewed(fresh)).status).toBe(303)
    expect((await read(fresh)).orders).toHaveLength(1)
    const { made, first } = await expired()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => renewed(made)))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303])
    const now = await read(made)
    expect(now.orders.map(({ id, status }) => [id, status])).toEqual([
      [first.id, 'EXPIRED'],
      [now.order_id, 'PENDING'],
    ])
    expect(now.order_id).not.toBe(first.id)
    // The older order cannot restart next to the new one.
    const { asset } = now.orders[0]!.fulfillment
    await client.refused('requestPayment', 422, {
      params: { order_id: first.id },
      body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
    })
  })

  test('behavior: while a charged card still pays the order there is no new price', async () => {
    const { made, first } = await expired()
    const card = {
      id: 'cos_1',
      hostedUrl: 'https://cards.test/1',
      status: 'fulfillment_processing',
      at: 0,
      amount: '1',
      total: '1',
      fiat: 'usd',
    }
    await stage.database
      .sql`update orders set state = jsonb_set(state, '{card}', ${JSON.stringify(card)}::text::jsonb) where id = ${first.id}`
    expect((await renewed(made)).status).toBe(303)
    expect((await read(made)).orders).toHaveLength(1)
  })

  test('behavior: late money on the first order pays the invoice; the second accepts none, and its money is surplus', async () => {
    const { made, first } = await expired()
    await renewed(made)
    const second = await instructed({ ...made, orders: [(await read(made)).orders[1]!] })
    await stage.base.sendToken(payer(), 'USDC', first.to, 42_500_000n)
    await untilStatus(client, first.id, 'COMPLETED')
    const closed = await client.ask('getOrder', { params: { order_id: second.id } })
    expect(closed.status).toBe('EXPIRED')
    expect((await read(made)).order_id).toBe(second.id)
    // A closed order cannot be reopened, and a paid invoice gets no new price.
    const { asset } = closed.fulfillment
    await client.refused('requestPayment', 422, {
      params: { order_id: second.id },
      body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
    })
    await renewed(made)
    expect((await read(made)).orders).toHaveLength(2)
    await stage.base.sendToken(payer(), 'USDC', second.to, 42_500_000n)
    const held = await until(async () => {
      const order = await client.ask('getOrder', { params: { order_id: second.id } })
      return order.payment?.funding?.transactions[0]?.state === 'held' && order
    })
    expect(held).toMatchObject({
      status: 'EXPIRED',
      payment: { surplus: { raw: '42500000' }, funding: { transactions: [{ reason: 'after_settlement' }] } },
    })
    expect(await stage.database.sql`select 1 from ledger where order_id = ${second.id} and account = 'recipient'`).toHaveLength(0)
    // The merchant is notified by mail, and webhooks get a second ORDER_EXPIRED with the money in it.
    const notice = await until(() => mailsTo('billing@northwind.example').find(({ email }) => email.text?.includes(second.id)))
    expect(notice.email.subject).toContain('paid twice')
    const events = await stage.database
      .sql`select event, socket_only from events where order_id = ${second.id} and event = 'ORDER_EXPIRED' and not socket_only`
    expect(events.length).toBe(2)
    // The surplus can be refunded in full.
    const back = '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c'
    await client.ask('refundOrder', {
      params: { order_id: second.id },
      body: { amount: '42.5', recipient: back },
      headers: { 'idempotency-key': second.id },
    })
    await untilStatus(client, second.id, 'REFUNDED')
  })

  test('behavior: money on the second order pays the invoice, and later money on the first is surplus', async () => {
    const { made, first } = await expired()
    await renewed(made)
    const second = await instructed({ ...made, orders: [(await read(made)).orders[1]!] })
    await stage.base.sendToken(payer(), 'USDC', second.to, 42_500_000n)
    await untilStatus(client, second.id, 'COMPLETED')
    await stage.base.sendToken(payer(), 'USDC', first.to, 42_500_000n)
    await until(
      async () => (await client.ask('getOrder', { params: { order_id: first.id } })).payment?.funding?.transactions[0]?.state === 'held',
    )
    expect((await client.ask('getOrder', { params: { order_id: first.id } })).status).toBe('EXPIRED')
  })

  test('behavior: a REFUND order is not an order of the invoice: it renews on its own and pays only itself', async () => {
    const made = await client.ask('createInvoice', { body: invoice() })
    const sold = await instructed(made)
    await stage.base.sendToken(payer(), 'USDC', sold.to, 42_500_000n)
    await untilStatus(client, sold.id, 'COMPLETED')
    const refund = await client.ask('refundOrder', {
      params: { order_id: sold.id },
      body: { amount: '12.5', recipient: '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c' },
      headers: { 'idempotency-key': sold.id },
    })
    const refundInvoice = { ...made, orders: [refund] }
    await instructed(refundInvoice)
    await expireUntil(stage, client, refund.id)
    const { to } = await instructed(refundInvoice)
    await stage.base.sendToken(payer(), 'USDC', to, 12_500_000n)
    await untilStatus(client, refund.id, 'COMPLETED')
    expect((await read(made)).orders.map(({ id, status }) => [id, status])).toEqual([[sold.id, 'COMPLETED']])
  })
})
