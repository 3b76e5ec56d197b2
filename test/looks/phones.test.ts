import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { localeCodes } from '../../src/wire/locale.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import { recordedBitcoin } from '../support/orders/bitcoin-orders.ts'
import * as orders from '../support/orders/orders.ts'
import { ready } from '../support/service/checkout.ts'

/** What a payer sees of the built page on a small phone, and with large letters. */

const longItem = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'
const large = (order: OrderRead): OrderRead => ({
  ...order,
  organization_name: 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz GmbH',
  metadata: {
    reference: undefined,
    refund: undefined,
    items: [{ name: longItem, description: longItem, quantity: 3, unit_price: 123_456_789_012.35, currency: 'usd', image: undefined }],
  },
})
/** Its price is held for minutes only, and the payer pays for a conversion, so the screen with the address has all that it can have. */
function converted(): OrderRead {
  const timed = orders.recorded['04b-timer']!()
  const input = { amount: orders.units('43.06'), currency: orders.usdc }
  return { ...timed, payment: { ...timed.payment, input, output: { amount: orders.units('42.50'), currency: orders.usdt } } }
}
const more = new Map<string, OrderRead>([
  ['converted', converted()],
  ['large-choose', large(orders.pending())],
  ['large-address', large(orders.awaitingIn(orders.usdc, orders.depositAddress, '123456789012.345678'))],
])
/** A shop with a logo, whose items have pictures. */
function pictured(order: OrderRead): OrderRead {
  const image = 'https://shop.example/item.png'
  const items = [{ name: 'Ethiopia Guji', quantity: 1, unit_price: 42.5, currency: 'usd', description: undefined, image }]
  return { ...order, settings: { ...order.settings!, logo_url: 'https://shop.example/logo.png' }, metadata: { ...order.metadata!, items } }
}
more.set('pictured', pictured(orders.completed()))
const browser = useBrowser()
let site: Awaited<ReturnType<typeof startRecordedPages>>

beforeAll(async () => {
  site = await startRecordedPages(more)
})
afterAll(() => site?.close())

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

const bottom = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().bottom + scrollY)

test('default: address, amount and network are on the first screen, and the QR code waits behind a button', async () => {
  const page = await (await browser.context(phone)).newPage()
  for (const locale of ['en', 'ar']) {
    for (const name of ['04-address', '04-native', '04-bitcoin', '04-solana', '04-sui', '04b-timer', '05-partial', 'converted']) {
      await page.goto(`${site.url}/pay/${name}?locale=${locale}`)
      await ready(page)
      for (const part of ['.field:has(#address) [data-copy]', '.field:has(#amount) [data-copy]', '.field.warn'])
        expect(await bottom(page, part), `${name} ${locale} ${part}`).toBeLessThanOrEqual(640)
      expect(await page.locator('.qr').isVisible(), `${name} ${locale}`).toBe(false)
    }
  }
  // Of the rest there is more to say, so its words have to be short in every language.
  for (const locale of localeCodes) {
    await page.goto(`${site.url}/pay/05-partial?locale=${locale}`)
    await ready(page)
    expect(await bottom(page, '.field.warn'), `05-partial ${locale}`).toBeLessThanOrEqual(640)
  }
  await page.goto(`${site.url}/pay/04-address`)
  await ready(page)
  await page.getByText('Show QR code').click()
  await page.locator('.qr svg:visible').waitFor()
  await page.getByText('Pick the network your exchange calls').waitFor()
})

test('behavior: the QR code can be shown without scripts', async () => {
  const page = await (await browser.context({ ...phone, javaScriptEnabled: false })).newPage()
  await page.goto(`${site.url}/pay/04-address`)
  expect(await page.locator('.qr').isVisible()).toBe(false)
  await page.getByText('Show QR code').click()
  await page.locator('.qr svg:visible').waitFor()
})

test('behavior: beside a pointer the QR code needs no button', async () => {
  for (const width of [390, 1280]) {
    const page = await (await browser.context({ viewport: { width, height: 800 } })).newPage()
    await page.goto(`${site.url}/pay/04-address`)
    await ready(page)
    await page.locator('.qr svg:visible').waitFor()
    expect(await page.getByText('Show QR code').isVisible(), `${width}`).toBe(false)
  }
})

test('behavior: on a tablet the summary lines up with the ways to pay', async () => {
  const page = await (await browser.context({ viewport: { width: 760, height: 900 } })).newPage()
  for (const name of ['01-choose', '05-partial', '07-completed']) {
    await page.goto(`${site.url}/pay/${name}`)
    await ready(page)
    const edges = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => [element.getBoundingClientRect().left, element.getBoundingClientRect().right])
    expect(await edges('.sum > div'), name).toEqual(await edges('.pay > *:not(script)'))
  }
})

test('behavior: with letters of twice the size nothing is cut, no word is broken, and nothing scrolls sideways', async () => {
  const page = await (await browser.context(phone)).newPage()
  const found: Record<string, unknown> = {}
  for (const name of [...Object.keys({ ...orders.recorded, ...recordedBitcoin }), ...more.keys()]) {
    await page.goto(`${site.url}/pay/${name}`)
    await ready(page)
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
      for (const details of document.querySelectorAll('details')) details.open = true
    })
    const { width, outside } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      outside: [...document.querySelectorAll('main *, aside *')]
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect()
          return width > 1 && (left < -1 || right > 361)
        })
        .map((element) => element.outerHTML.slice(0, 80)),
    }))
    // The long names are there to be broken.
    const broken = name.startsWith('large-') ? [] : await brokenWords(page)
    if (width > 360 || outside.length > 0 || broken.length > 0) found[name] = { width, outside, broken }
  }
  expect(found).toEqual({})
})

/** Lists words that continue on another line. Addresses and names may. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const broken: string[] = []
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement!.closest('script, style, .addr, .hide, bdi')) continue
      for (const { 0: word, index } of text.nodeValue!.matchAll(/\p{L}{3,}/gu)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const lines = [...range.getClientRects()].filter((rect) => rect.width > 0).map(({ top }) => Math.round(top))
        if (new Set(lines).size > 1) broken.push(word)
      }
    }
    return broken
  })

test('behavior: a wallet app opens a partly paid order at its address, where the rest is asked for', async () => {
  const page = await (await browser.context(phone)).newPage()
  await page.goto(`${site.url}/pay/05-partial`)
  await ready(page)
  await page.getByRole('button', { name: 'Pay the rest from a wallet' }).click()
  const link = await page.getByRole('link', { name: /MetaMask/ }).getAttribute('href')
  expect(link).toMatch(/^https:\/\/link\.metamask\.io\/dapp\/[^?]+$/)
})

test('behavior: without scripts no way is offered that needs them, and the URL of one says so', async () => {
  const page = await (await browser.context({ ...phone, javaScriptEnabled: false })).newPage()
  await page.goto(`${site.url}/pay/large-choose?method=wallet`)
  await page.getByText('This way needs JavaScript').waitFor()
  expect(await page.locator('.sk:visible').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Send to an address instead' }).getAttribute('href')).toContain('method=address')
  const offering = await startRecordedPages(
    undefined,
    undefined,
    orders.paymentMethods.map((method) => ({ ...method, available: true })),
  )
  onTestFinished(offering.close)
  await page.goto(`${offering.url}/pay/01-choose`)
  expect(await page.locator('main .offers > li').count()).toBe(4)
  expect(await page.locator('main li.js').count()).toBe(2)
  expect(await page.locator('main li.js:visible').count()).toBe(0)
})

test('behavior: an open QR code stays beside the address when a tablet is turned', async () => {
  const page = await (await browser.context({ viewport: { width: 1180, height: 820 }, hasTouch: true, isMobile: true })).newPage()
  await page.goto(`${site.url}/pay/04-address`)
  await ready(page)
  const place = () =>
    page.locator('.side > .qr').evaluate((code) => {
      const { padding, alignContent } = getComputedStyle(code)
      return { padding, alignContent }
    })
  const closed = await place()
  expect(closed).toEqual({ padding: '12px', alignContent: 'center' })
  await page.setViewportSize({ width: 820, height: 1180 })
  await page.getByText('Show QR code').click()
  await page.locator('.qr svg:visible').waitFor()
  await page.setViewportSize({ width: 1180, height: 820 })
  expect(await page.getByText('Show QR code').isVisible()).toBe(false)
  expect(await place()).toEqual(closed)
})

test('behavior: the shop’s logo and the pictures of items fill their tiles', async () => {
  for (const width of [360, 1280]) {
    const page = await (await browser.context({ viewport: { width, height: 800 }, bypassCSP: false })).newPage()
    await page.goto(`${site.url}/pay/pictured`)
    await ready(page)
    const sizes = await page.locator('.logo img, .thumb img').evaluateAll((images) =>
      images.map((image) => {
        const [{ x, y, width: w, height: h }, tile] = [image.getBoundingClientRect(), image.parentElement!.getBoundingClientRect()]
        return [x - tile.x, y - tile.y, w - tile.width, h - tile.height].map(Math.round)
      }),
    )
    expect(sizes.length, String(width)).toBeGreaterThanOrEqual(2)
    for (const size of sizes) expect(size, String(width)).toEqual([0, 0, 0, 0])
  }
})
