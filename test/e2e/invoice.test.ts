import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import { type LocalMailbox, startMailbox } from '../../local/mailbox.ts'
import type { Invoice } from '../../src/wire/invoice.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, ready, type Shop, watch } from '../support/service/checkout.ts'
import { expireUntil, untilStatus } from '../support/orders/payments.ts'
import { readPdf } from '../support/browser/pdf.ts'
import { type Service, startService } from '../support/service/service.ts'
import { type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** An invoice from draft to paid, by the link in its mail, in a browser, on a real chain. */

let service: Service
let shop: Shop
let stage: Stage | undefined
let mailbox: LocalMailbox
const browser = useBrowser()

beforeAll(async () => {
  ;[service, mailbox] = await Promise.all([startService(), startMailbox()])
  shop = await openShop(service)
})
afterAll(async () => {
  await Promise.all([service?.close(), stage?.close()])
  await mailbox?.stop()
})

const data = (more: object = {}) => ({
  from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
  recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
  invoice: { no: 'NW-2026-0112', date: '2026-05-12', due_date: '2026-05-26' },
  items: [
    { name: 'Ethiopia Guji, whole bean', quantity: '1', tax: '7', unitPrice: '26.64' },
    { name: 'Porcelain dripper, size 02', quantity: '1', tax: '19', unitPrice: '11.76' },
    { name: 'Delivery', quantity: '1', unitPrice: '0.01' },
  ],
  ...more,
})

interface ShownMail {
  readonly to: readonly string[]
  readonly text: string
  readonly attachments: readonly { readonly mimeType: string; readonly url: string }[]
}

test('default: draft, publish, e-mail, PDF, link, paid', async () => {
  const draft = await shop.client.ask('createInvoiceDraft', { body: data() })
  const made = await shop.client.ask('createInvoice', { body: { id: draft.id } })
  const mail = await until(async () =>
    ((await (await fetch(`${service.payUrl}/test/mail.json`)).json()) as ShownMail[]).find((mail) =>
      mail.to.includes('accounts@harbour.example'),
    ),
  )
  const link = /https?:\/\/\S+/.exec(mail.text)![0]
  expect(link).toBe(made.payment_url)
  const pdf = mail.attachments.find(({ mimeType }) => mimeType === 'application/pdf')!
  const paper = await readPdf(new Uint8Array(await (await fetch(service.payUrl + pdf.url)).arrayBuffer()))
  expect(paper.qr).toBe(link)
  expect(paper.links).toContain(link)

  const page = await (await browser.context({ viewport: { width: 1280, height: 900 } })).newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(paper.qr!)
  await ready(page)
  expect(await page.title()).toBe('Invoice NW-2026-0112')
  const sheet = page.locator('article.sheet')
  for (const phrase of [
    'Invoice NW-2026-0112',
    'Issued 12 May 2026',
    'Overdue since 26 May 2026',
    'Northwind Coffee',
    'billing@northwind.example',
    'Harbour Studio',
    '1 × $26.64',
    '7%',
    '$38.41',
    '$1.86',
    '$2.23',
    '$42.50',
  ])
    expect(await sheet.innerText()).toContain(phrase)
  expect(await page.locator('h1').count()).toBe(1)
  if (process.env.TILL_PICTURES) await page.screenshot({ path: `${process.env.TILL_PICTURES}/invoice-desktop.png`, fullPage: true })
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download PDF' }).click()])
  expect(download.suggestedFilename()).toBe('invoice-NW-2026-0112.pdf')
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/invoice/${made.id}`)
  // Client scripts must not remove what the server rendered.
  expect(await sheet.innerText()).toContain('$42.50')
  const address = (await page.locator('#address').textContent()) ?? ''
  const [order] = made.orders
  await shop.payer(order!.fulfillment.asset.chain_id).pay(order!.fulfillment.asset.address, address, 42_500_000n)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  expect((await shop.client.ask('getInvoice', { params: { invoice_id: made.id } })).orders[0]).toMatchObject({ status: 'COMPLETED' })
  const [receipt] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save receipt PDF' }).click()])
  expect(receipt.suggestedFilename()).toContain('NW-2026-0112')
  // The printed page shows the invoice and its payment, without buttons.
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('link', { name: 'Download PDF' }).isVisible()).toBe(false)
  expect(await sheet.isVisible()).toBe(true)
  expect(wrong).toEqual([])
})

test('behavior: an invoice can be paid without scripts, on a phone, in Arabic', async () => {
  const made = await shop.client.ask('createInvoice', { body: data() })
  const page = await (await browser.context({ javaScriptEnabled: false, locale: 'ar', viewport: { width: 390, height: 844 } })).newPage()
  await page.goto(made.payment_url)
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
  expect(await page.locator('article.sheet').innerText()).toContain('NW-2026-0112')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  if (process.env.TILL_PICTURES) await page.screenshot({ path: `${process.env.TILL_PICTURES}/invoice-phone-ar.png`, fullPage: true })
  await page.locator('form button.row').first().click()
  await page.locator('#address').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/invoice/${made.id}`)
  const pdf = await fetch(new URL((await page.locator('article.sheet a[download]').getAttribute('href')) ?? '', page.url()))
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
})

test('error: hostile texts are escaped, and the page is as restricted as an order’s', async () => {
  const evil = '</script><img src=x onerror=alert(1)><b>"\u202Ereversed'
  const party = { name: evil, email: 'a@b.example' }
  const made = await shop.client.ask('createInvoice', {
    body: data({
      from: party,
      recipient: party,
      invoice: { no: `${evil}`.slice(0, 64), date: '2026-05-12', due_date: '2026-05-12' },
      items: [{ name: evil, quantity: '1', unitPrice: '1' }],
    }),
  })
  const answer = await fetch(made.payment_url)
  const html = await answer.text()
  expect(html).not.toContain('<img src=x')
  expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  for (const [name, value] of [
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    ['x-robots-tag', 'noindex, nofollow'],
  ] as const)
    expect(answer.headers.get(name)).toBe(value)
  const page = await (await browser.context()).newPage()
  const wrong = watch(page, [service.payUrl])
  page.on('dialog', () => wrong.push('a dialog'))
  await page.goto(made.payment_url)
  await ready(page)
  expect(await page.locator('article.sheet img').count()).toBe(0)
  expect(wrong).toEqual([])
  // Tampered links and forms change nothing, and unknown ids are 404.
  expect(
    (
      await fetch(made.payment_url, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'cross-site' },
        body: new URLSearchParams({ act: 'renew' }),
      })
    ).status,
  ).toBe(403)
  for (const path of ['inv_none', '..%2f..%2fetc', '%00', 'x'.repeat(3000)])
    expect((await fetch(`${service.payUrl}/invoice/${path}`)).status).toBeGreaterThanOrEqual(400)
  expect((await fetch(`${service.payUrl}/invoice/inv_none/pdf`)).status).toBe(404)
})

test('behavior: one click replaces an expired price with a new order, but never on a closed invoice', async () => {
  stage = await startStage()
  const process = await stage.start({ SMTP_URL: mailbox.url })
  const client = (await stage.merchant()).at(process)
  const made: Invoice = await client.ask('createInvoice', { body: data() })
  const page = await (await browser.context()).newPage()
  await page.goto(made.payment_url)
  await ready(page)
  await page.getByRole('button', { name: /Send to address/ }).click()
  const first = (await page.locator('#address').textContent()) ?? ''
  await expireUntil(stage, client, made.order_id!)
  await page.getByRole('button', { name: 'Get a new price' }).click()
  await page.getByRole('button', { name: /Send to address/ }).click()
  const second = await until(async () => {
    const shown = await page.locator('#address').textContent()
    return shown !== first && shown
  })
  const { orders, order_id } = await client.ask('getInvoice', { params: { invoice_id: made.id } })
  expect(orders.map(({ status }) => status)).toEqual(['EXPIRED', 'AWAITING_PAYMENT'])
  // Late money on the first address pays the invoice, and its page says so.
  await stage.base.sendToken(payers[3]!, 'USDC', first, 42_500_000n)
  await untilStatus(client, orders[0]!.id, 'COMPLETED')
  await untilStatus(client, order_id!, 'EXPIRED')
  await page.goto(made.payment_url)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  expect(second).not.toBe(first)

  const closed = await client.ask('createInvoice', { body: data() })
  await client.ask('archiveInvoice', { params: { invoice_id: closed.id } })
  await page.goto(closed.payment_url)
  expect(await page.locator('h1').innerText()).toContain('has closed this invoice')
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.getByRole('link', { name: /^Contact / }).getAttribute('href')).toMatch(/^mailto:[^?]+\?subject=Invoice%20/)
  await page.getByRole('link', { name: 'Pay anyway' }).click()
  await ready(page)
  await page.getByRole('button', { name: /Send to address/ }).waitFor()
  expect(await page.locator('article.sheet').innerText()).toContain('has closed this invoice')
})
