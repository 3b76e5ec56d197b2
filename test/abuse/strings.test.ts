import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type LocalMailbox, startMailbox } from '../../local/mailbox.ts'
import { smtpMail } from '../../server/providers/smtp-mail.ts'
import { OrderRead } from '../../src/wire/order-read.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { ready, watch } from '../support/service/checkout.ts'
import type { Client } from '../support/client/client.ts'
import * as orders from '../support/orders/orders.ts'
import { readPdf } from '../support/browser/pdf.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'
import { isHostileLink, payloads } from './payloads.ts'

/** Texts written by merchants and payers are never interpreted on the page, in the receipt, in the PDF or in a mail. */

let stage: Stage
let process: Process
let client: Client
let mailbox: LocalMailbox
const browser = useBrowser()
beforeAll(async () => {
  ;[stage, mailbox] = await Promise.all([startStage({ mining: 'manual' }), startMailbox()])
  const [running, merchant] = await Promise.all([stage.start({ SMTP_URL: mailbox.url }), stage.merchant({ name: payloads[1]! })])
  process = running
  client = merchant.at(running)
})
afterAll(async () => {
  await stage?.close()
  await mailbox?.stop()
})

/** Opens a page and records scripts that ran, foreign requests and console errors. */
async function openPage(origin: string, how: BrowserContextOptions = {}) {
  const page = await (await browser.context(how)).newPage()
  const wrong = watch(page, [origin])
  page.on('dialog', () => wrong.push('a dialog'))
  page.on('popup', () => wrong.push('a window'))
  return { page, wrong }
}

async function expectHarmless(page: Page, wrong: readonly string[]) {
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  const links = await page.locator('a[href]').evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href))
  expect(links.filter(isHostileLink)).toEqual([])
  expect(await page.locator('iframe, object, embed, form[action*="evil"], [onerror], [onload], [onfocus], [srcdoc]').count()).toBe(0)
  expect(await page.locator('script:not([nonce]):not([type="application/json"])').count()).toBe(0)
  expect(wrong).toEqual([])
}

test('error: every text of an order is escaped on its page', async () => {
  const made = await client.ask('createOrder', {
    body: {
      mode: 'SALE',
      amount: '1',
      fiat_unit: 'usd',
      metadata: {
        reference: payloads[1],
        items: payloads.map((name) => ({ name, description: name, currency: name.slice(0, 20), quantity: 1, unit_price: 1 })),
        refund: { name: payloads[0], reason: payloads[2], additional_info: payloads[3], currency: '<b>' },
      },
      settings: { return_url: `https://shop.example/${encodeURIComponent(payloads[4]!)}'"<>`, theme_color: '#0f4c5c' },
    },
  })
  for (const query of [
    '',
    '?method=address',
    `?method=${encodeURIComponent(payloads[1]!)}&locale=${encodeURIComponent(payloads[2]!)}&currency=javascript:1&q=${encodeURIComponent(payloads[3]!)}&pick=`,
  ]) {
    const { page, wrong } = await openPage(process.service.payUrl)
    await page.goto(`${process.service.payUrl}/pay/${made.id}${query}`)
    await ready(page)
    const text = ((await page.locator('body').textContent()) ?? '').replace(/\s+/g, ' ')
    for (const payload of payloads) expect(text).toContain(payload.replace(/\s+/g, ' '))
    await expectHarmless(page, wrong)
  }
})

/** Every text of another service's order may be hostile, except money, times, ids and states. */
const kept =
  /^(id|status|mode|raw|ui|state|kind|rail|action|.*_at|expires_at|held_until|amount|deposit_address|fiat_unit|to|data|value|from)$/
function poisoned(value: unknown, text: string, name = ''): unknown {
  if (Array.isArray(value)) return value.map((inner) => poisoned(inner, text, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poisoned(inner, text, key)]))
  return typeof value === 'string' && !kept.test(name) ? text : value
}
/** This user agent makes the page show the link out of an app's browser. */
const insideApp = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 300.0'
const live =
  /(<script>window|<img src=x|<svg\/onload|<iframe|href="(javascript:|data:(?!image\/bmp;base64,[\w+/=]*"))|<\/style><style>\*|<style[^>]*>[^<]*red;|<b>bold).{0,60}/gi
const links = {
  hosted_url: 'javascript:window.hacked=1',
  settings: {
    return_url: 'javascript:window.hacked=1',
    support_url: 'javascript:window.hacked=1',
    logo_url: 'javascript:window.hacked=1',
    theme_color: 'red;}*{display:none',
    embed_origins: ['*', "'unsafe-inline'; script-src *"],
  },
}

test('error: every text of another service’s orders is escaped in every state, with and without script, and on the receipt', async () => {
  const all = new Map(
    Object.entries(orders.recorded).map(([name, make], index) => {
      const text = payloads[index % payloads.length]!
      const order = poisoned(make(), text) as Record<string, unknown>
      return [
        `poisoned-${name}`,
        {
          ...order,
          ...links,
          organization_name: text,
          settings: { ...(order.settings as object), ...links.settings },
        } as unknown as OrderRead,
      ]
    }),
  )
  expect(z.parse(OrderRead, [...all.values()][0]).hosted_url).toBeUndefined()
  const recorded = await startRecordedPages(all)
  const scripted = await openPage(recorded.url, { userAgent: insideApp })
  const plain = await openPage(recorded.url, { javaScriptEnabled: false })
  try {
    for (const name of all.keys()) {
      for (const path of [`/pay/${name}`, `/pay/${name}/receipt`]) {
        const answer = await fetch(recorded.url + path, { redirect: 'manual' })
        expect(answer.status, path).toBeLessThan(400)
        expect((await answer.text()).match(live), path).toBeNull()
      }
      expect((await fetch(`${recorded.url}/frame/${name}`)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      await plain.page.goto(`${recorded.url}/pay/${name}`)
      expect(plain.wrong, name).toEqual([])
      await scripted.page.goto(`${recorded.url}/pay/${name}`)
      await ready(scripted.page)
      await expectHarmless(scripted.page, scripted.wrong)
    }
  } finally {
    // The server waits for open connections when it closes, so they are closed first.
    await Promise.all([scripted, plain].map(({ page }) => page.context().close()))
    await recorded.close()
  }
})

test('error: every text of an invoice is escaped on its page, in its PDF and in its mail', async () => {
  for (const [index, hostileText] of [
    '</script><script>window.hacked=1</script>',
    'line\nBcc: victim@evil.example\n\n<b>',
    '"=?utf-8?q?=0ABcc:x?=" <a@evil.example>,',
  ].entries()) {
    const to = `payer-${index}@harbour.example`
    const made = await client.ask('createInvoice', {
      body: {
        from: { name: hostileText, email: 'billing@northwind.example' },
        recipient: { name: hostileText, email: to },
        invoice: { no: hostileText, date: '2026-05-01', due_date: '2026-06-01' },
        items: payloads.map((name) => ({ name, quantity: '1', unitPrice: '1' })),
      },
    })
    const { page, wrong } = await openPage(process.service.payUrl)
    await page.goto(made.payment_url)
    await ready(page)
    await expectHarmless(page, wrong)

    const pdf = await fetch(`${made.payment_url}/pdf`)
    expect(pdf.headers.get('content-disposition')).toMatch(/^attachment; filename="invoice-[A-Za-z0-9_-]+\.pdf"$/)
    const bytes = new Uint8Array(await pdf.arrayBuffer())
    expect(new Set((await readPdf(bytes)).links)).toEqual(new Set([made.payment_url]))
    expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/\/(JS|JavaScript|Launch|SubmitForm|OpenAction|AA|EmbeddedFile)\b/)

    const mail = await until(() => mailbox.messages.find((message) => message.to.includes(to)), { what: 'the mail' })
    expect(mail.to).toEqual([to])
    const names = mail.email.headers.map(({ key }) => key)
    for (const header of ['bcc', 'cc']) expect(names).not.toContain(header)
    expect(mail.email).toMatchObject({ to: [{ address: to }], from: { address: expect.stringMatching(/^invoices@/) } })
    expect(mail.email.html).not.toMatch(/<script|<img|<b>/)
    expect([...(mail.email.html ?? '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => href)).toEqual([made.payment_url])
    expect(mail.email.attachments.map(({ filename }) => filename)).toEqual([expect.stringMatching(/^invoice-[A-Za-z0-9_-]+\.pdf$/)])
  }
})

test('error: no text of a mail becomes a header or an address of it', async () => {
  const mail = smtpMail(mailbox.url)
  for (const [index, hostileText] of [
    ...payloads,
    'a\r\nBcc: victim@evil.example\r\n\r\nbody',
    'a\u2028Bcc: x',
    '"<victim@evil.example>, x" <y@evil.example>',
  ].entries()) {
    const to = `box-${index}@harbour.example`
    const person = { name: hostileText, address: to }
    await mail.send({
      id: `m${index}@till.example`,
      from: { ...person, address: 'invoices@till.example' },
      replyTo: person,
      to: person,
      subject: hostileText,
      text: hostileText,
      html: '<p></p>',
      attachments: [],
    })
    const got = mailbox.messages.find((message) => message.to.includes(to))
    expect(got?.to).toEqual([to])
    const names = got!.email.headers.map(({ key }) => key).sort()
    expect(names).toEqual(['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to', 'subject', 'to'])
    expect(got!.email.from?.address).toBe('invoices@till.example')
  }
})
