import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import * as orders from '../support/orders/orders.ts'
import { ready } from '../support/service/checkout.ts'

/** What a screen reader has to say, as files that people read: `npx vitest run --project browser test/browser/transcripts.test.ts -u` writes them. */

const locales = ['en', 'de', 'ar'] as const
const commonest = [
  '01-choose',
  '04-address',
  '05-partial',
  '06-confirming',
  '07-completed',
  '07b-overpaid',
  '08-expired',
  '08b-late',
  '09-refunded',
  '09b-held',
] as const

const browser = useBrowser()
const changing = new Map<string, OrderRead>()
let site: Awaited<ReturnType<typeof startRecordedPages>>
beforeAll(async () => {
  site = await startRecordedPages(changing)
})
afterAll(() => site?.close())

const fileOf = (name: string, locale: string) => `transcripts/${name}.${locale}.txt`
async function open(name: string, locale: string): Promise<Page> {
  const page = await (await browser.context({ locale, viewport: { width: 390, height: 844 } })).newPage()
  await page.goto(`${site.url}/pay/${name}`)
  await ready(page)
  return page
}

test.each(locales)('default: %s: what the ten commonest states say', async (locale) => {
  for (const name of commonest) {
    const page = await open(name, locale)
    const said = await page.locator('#till').ariaSnapshot()
    await expect(`${await page.title()}\n\n${said}\n`).toMatchFileSnapshot(fileOf(name, locale))
    await page.context().close()
  }
})

test.each(locales)('behavior: %s: what is announced while a payment arrives in two parts', async (locale) => {
  const id = `ord_changing_${locale}`
  const becomes = (order: OrderRead) => changing.set(id, { ...order, id })
  becomes(orders.awaiting())
  const page = await open(id, locale)
  const heard = [await announced(page)]
  for (const change of [orders.partial, orders.confirming, orders.completed]) {
    const before = await page.title()
    becomes(change())
    await expect.poll(() => page.title(), { timeout: 30_000 }).not.toBe(before)
    heard.push(await announced(page))
  }
  await expect(`${heard.join('\n\n')}\n`).toMatchFileSnapshot(fileOf('arriving', locale))
})

/** A screen reader says the title of the tab, then what has the focus, then the live regions. */
const announced = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const textOf = (element: Element | null) => (element === document.body ? '' : (element?.textContent ?? '').replace(/\s+/g, ' ').trim())
    const live = [...document.querySelectorAll('[role=status], [role=alert], [aria-live]')].map(textOf).filter((text) => text !== '')
    return [`title: ${document.title}`, `focus: ${textOf(document.activeElement)}`, ...live.map((text) => `live: ${text}`)].join('\n')
  })
