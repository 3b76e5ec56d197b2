import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints, eventLog, eventTypes } from '../support/browser/merchant-page.ts'
import { buildShop, frameworksFolder } from '../support/frameworks.ts'
import { until } from '../support/wait.ts'

/** Libraries that change a page under the checkout: the real ones, from npm (test/frameworks). */

const here = useShopSite()
let folder: string
const browser = useBrowser()

beforeAll(async () => {
  folder = await frameworksFolder()
})

const order = () => here.shop.order({ embed_origins: [here.site.origin] })

/** Puts a library at a URL of the site and returns its script tag. */
function library(file: string): string {
  const url = here.site.put(`/${file}`, readFileSync(join(folder, 'node_modules', file), 'utf8'), { 'content-type': 'text/javascript' })
  return `<script src="${url}"></script>`
}
const shopPage = (head: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><script>${eventLog}</script>
<script async src="${here.service.payUrl}/till.js"></script>${head}</head><body>${body}</body></html>`

async function open(url: string) {
  const page = await (await browser.context()).newPage()
  const wrong = complaints(page)
  await page.goto(url)
  return { page, wrong }
}

const isShown = (page: Page, of: string) =>
  page.frameLocator(`${of} iframe`).getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
const pay = (page: Page) => page.getByRole('button', { name: 'Pay now' })
async function toAddress(page: Page) {
  const checkout = page.frameLocator('dialog iframe')
  await checkout.getByRole('button', { name: /Send to address/ }).click()
  await addressIsShown(page)
}
const addressIsShown = (page: Page) => page.frameLocator('dialog iframe').getByRole('heading', { name: /^Send/ }).waitFor()
const isScrollable = (page: Page) =>
  page.evaluate(() => {
    scrollTo(0, 500)
    return scrollY > 0 && getComputedStyle(document.documentElement).overflow !== 'hidden'
  })

test('behavior: Turbo replaces the body under an open checkout, which stays, pays on the next page too, and locks neither', async () => {
  const turbo = library('@hotwired/turbo/dist/turbo.es2017-umd.js')
  const [first, second] = [await order(), await order()]
  const tall = '<div style="height:3000px"></div>'
  const button = (id: string) => `<till-button order="${id}">Pay now</till-button>`
  here.site.put('/turbo/second', shopPage(turbo, `<h1>Second</h1>${button(second.id)}${tall}`))
  const { page, wrong } = await open(
    here.site.put('/turbo/first', shopPage(turbo, `<h1>First</h1><a href="/turbo/second">Next</a>${button(first.id)}${tall}`)),
  )
  await page.evaluate(() => Object.assign(window, { isSameDocument: true }))
  await page.waitForFunction(() => 'dropped' in ((window as { Till?: object }).Till ?? {}))
  await page.evaluate((id) => void (window as never as { Till: { open(o: object): void } }).Till.open({ order: id }), first.id)
  await isShown(page, 'dialog')
  await page.evaluate(() => (window as never as { Turbo: { visit(url: string): void } }).Turbo.visit('/turbo/second'))
  await page.getByRole('heading', { name: 'Second', includeHidden: true }).waitFor({ state: 'attached' })
  await toAddress(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await until(() => isScrollable(page))

  await pay(page).click()
  await isShown(page, 'dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { name: 'First' }).waitFor()
  await pay(page).click()
  // The page shows what the payer had chosen there.
  await addressIsShown(page)
  expect(await page.evaluate(() => (window as { isSameDocument?: boolean }).isSameDocument)).toBe(true)
  expect(wrong).toEqual([])
})

test('behavior: htmx brings a checkout into the page, and takes it away with its frame', async () => {
  const { id } = await order()
  here.site.put('/htmx/checkout', `<till-checkout order="${id}"></till-checkout>`)
  here.site.put('/htmx/cart', '<p>Your cart</p>')
  const { page, wrong } = await open(
    here.site.put(
      '/htmx',
      shopPage(
        library('htmx.org/dist/htmx.min.js'),
        '<button hx-get="/htmx/checkout" hx-target="#slot">Checkout</button><button hx-get="/htmx/cart" hx-target="#slot">Cart</button><div id="slot"></div>',
      ),
    ),
  )
  for (let round = 0; round < 2; round++) {
    await page.getByRole('button', { name: 'Checkout' }).click()
    await isShown(page, 'till-checkout')
    await page.getByRole('button', { name: 'Cart' }).click()
    await page.getByText('Your cart').waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
    await until(async () => (await eventTypes(page)).filter((type) => type === 'closed').length === round + 1)
  }
  expect(wrong).toEqual([])
})

test('behavior: jQuery inserts, detaches and moves a checkout, and receives its events', async () => {
  const { id } = await order()
  const { page, wrong } = await open(
    here.site.put('/jquery', shopPage(library('jquery/dist/jquery.min.js'), '<div id="a"></div><div id="b"></div>')),
  )
  await page.evaluate((orderId) => {
    const received: string[] = []
    const $ = (
      window as never as { $: (what: string) => { on(type: string, run: (event: never) => void): { appendTo(to: string): void } } }
    ).$
    const note = (event: { originalEvent: { detail: { order: string } } }) => received.push(event.originalEvent.detail.order)
    $(`<till-checkout order="${orderId}"></till-checkout>`).on('open', note).appendTo('#a')
    Object.assign(window, { received })
  }, id)
  await isShown(page, '#a till-checkout')
  await page.evaluate(() => {
    const $ = (window as never as { $: (what: string) => { detach(): { appendTo(to: string): void } } }).$
    $('till-checkout').detach().appendTo('#b')
  })
  await isShown(page, '#b till-checkout')
  const received = await page.evaluate(() => (window as never as { received: string[] }).received)
  expect(new Set(received)).toEqual(new Set([id]))
  expect(wrong).toEqual([])
})

test('behavior: over an open dialog of Radix the checkout takes clicks and keys, and its Escape closes it alone', async () => {
  const script = here.site.put('/radix.js', await buildShop(folder, 'radix'), { 'content-type': 'text/javascript' })
  const page = await (await browser.context()).newPage()
  const wrong = complaints(page)
  await page.exposeFunction('newOrder', async () => (await order()).id)
  await page.goto(
    here.site.put(
      '/radix',
      `<!doctype html><html lang="en"><title>Shop</title><script>payUrl = '${here.service.payUrl}'</script><div id="app"></div><script type="module" src="${script}"></script></html>`,
    ),
  )
  await page.getByRole('dialog', { name: 'Your cart' }).waitFor()
  expect(await page.evaluate(() => getComputedStyle(document.body).pointerEvents)).toBe('none')
  await pay(page).click()
  await isShown(page, 'dialog')
  await toAddress(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Secure checkout' }).waitFor({ state: 'detached' })
  await page.getByRole('dialog', { name: 'Your cart' }).waitFor()
  expect(wrong).toEqual([])
})
