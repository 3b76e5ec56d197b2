import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import * as orders from '../support/orders/orders.ts'
import { ready } from '../support/service/checkout.ts'

/** What a screen reader has to say, as files that people read: `npx vitest run --project wide test/looks/transcripts.test.ts -u` writes them. */

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
const newPage = async (locale: string) => (await browser.context({ locale, viewport: { width: 390, height: 844 } })).newPage()

test.each(locales)('default: %s: what the ten commonest states say', async (locale) => {
  const page = await newPage(locale)
  await page.addInitScript({ content: keepFirst })
  const still = await newPage(locale)
  for (const name of commonest) {
    await page.goto(`${site.url}/pay/${name}`)
    await ready(page)
    // The page goes on, as to count down until it returns to the shop. Its first state stands still without scripts.
    await still.setContent((await page.evaluate<string>('first')).replace(/<script[^]*?<\/script>/g, ''))
    const said = await still.locator('#till').ariaSnapshot()
    await expect(`${await still.title()}\n\n${said}\n`).toMatchFileSnapshot(fileOf(name, locale))
  }
})

const keepFirst = `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('#till[data-ready]')) return
    observer.disconnect()
    globalThis.first = document.documentElement.outerHTML
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-ready'] })
`

test.each(locales)('behavior: %s: what is announced while a payment arrives in two parts', async (locale) => {
  const id = `ord_changing_${locale}`
  const becomes = (order: OrderRead) => changing.set(id, { ...order, id })
  becomes(orders.awaiting())
  const page = await newPage(locale)
  await page.goto(`${site.url}/pay/${id}`)
  await ready(page)
  await page.evaluate(listen)
  const said = () => page.evaluate<string[]>('said')
  const transcript: string[] = []
  for (const change of [orders.partial, orders.confirming, orders.completed]) {
    const before = (await said()).length
    becomes(change())
    await expect.poll(async () => (await said()).length).toBeGreaterThan(before)
    transcript.push(...(await said()).slice(before))
  }
  await expect(`${transcript.join('\n')}\n`).toMatchFileSnapshot(fileOf('arriving', locale))
})

/** From now on the page keeps what a screen reader says: what gets the focus, and what a live region says anew. */
const listen = `{
  globalThis.said = []
  const textOf = (element) => element.textContent.replace(/\\s+/g, ' ').trim()
  addEventListener('focusin', ({ target }) => said.push('focus: ' + textOf(target)))
  new MutationObserver((changes) => {
    const regions = new Set(changes.map(({ target }) => (target.closest ? target : target.parentElement)?.closest('[role=status], [role=alert]')))
    for (const region of regions) if (region && textOf(region)) said.push('live: ' + textOf(region))
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}`
