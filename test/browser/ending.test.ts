import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { ready } from '../support/service/checkout.ts'
import * as orders from '../support/orders/orders.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import { until } from '../support/wait.ts'

/** The end of a payment and the last minutes of its price, on the built page. */

const browser = useBrowser()
let now = orders.recordedNow
let site: Awaited<ReturnType<typeof startRecordedPages>>

beforeAll(async () => {
  const back = { ...orders.completed(), id: 'back' }
  site = await startRecordedPages(
    new Map([
      ['back', { ...back, settings: { ...back.settings!, return_url: 'http://localhost/thanks' } }],
      ['footless', { ...orders.awaiting(), id: 'footless', settings: { ...orders.pending().settings!, hide_footer: true } }],
      ['waiting', { ...orders.awaiting(), id: 'waiting' }],
      ['nearly', { ...orders.awaiting({ expires_at: '2026-05-12T14:12:30Z' }), id: 'nearly' }],
    ]),
    () => now,
  )
})
afterAll(() => site?.close())

/** Opens a paid page that is about to return to the shop, on a clock that stands still. */
async function finished() {
  const context = await browser.context()
  await context.route('http://localhost/thanks', (route) => route.fulfill({ contentType: 'text/html', body: 'thanks' }))
  const page = await context.newPage()
  await page.clock.install({ time: orders.recordedNow })
  await page.clock.pauseAt(orders.recordedNow + 1_000)
  await page.goto(`${site.url}/pay/back`)
  await until(async () => {
    await page.clock.runFor(50)
    return page.getByText('Returning in 10 seconds.').isVisible()
  })
  return page
}

test('default: after ten seconds the full page returns to the shop unless the payer chooses to stay', async () => {
  const page = await finished()
  await page.clock.runFor(2_000)
  await page.getByText('Returning in 8 seconds.').waitFor()
  expect(page.url()).toBe(`${site.url}/pay/back`)
  await page.clock.runFor(9_000)
  await page.waitForURL('http://localhost/thanks')

  const other = await finished()
  await other.getByRole('button', { name: 'Stay here' }).click()
  await other.clock.runFor(60_000)
  expect(other.url()).toBe(`${site.url}/pay/back`)

  const pressed = await finished()
  await pressed.locator('main h1').click({ button: 'right' })
  await pressed.clock.runFor(60_000)
  expect(pressed.url()).toBe(`${site.url}/pay/back`)

  const scrolled = await finished()
  await scrolled.mouse.wheel(0, 40)
  await scrolled.getByText(/^Returning in/).waitFor({ state: 'hidden' })
})

test('behavior: what nobody sees does not count down', async () => {
  const page = await finished()
  await page.setViewportSize({ width: 360, height: 300 })
  await page.clock.runFor(30_000)
  await page.getByText('Returning in 10 seconds.').waitFor({ state: 'attached' })
  await page.setViewportSize({ width: 360, height: 640 })
  await page.clock.runFor(11_000)
  await page.waitForURL('http://localhost/thanks')
})

test('behavior: whoever has stayed, or comes back from the shop, is not sent away again', async () => {
  const isStill = async (page: Page) => {
    await page.getByRole('link', { name: 'Return to Northwind Coffee' }).waitFor()
    await page.clock.runFor(60_000)
    expect(page.url()).toBe(`${site.url}/pay/back`)
    expect(await page.getByText(/^Returning in/).count()).toBe(0)
  }
  const stayed = await finished()
  await stayed.getByRole('button', { name: 'Stay here' }).click()
  await stayed.reload()
  await isStill(stayed)

  const back = await finished()
  await back.clock.runFor(11_000)
  await back.waitForURL('http://localhost/thanks')
  await back.goBack()
  await isStill(back)
})

test('behavior: the page of an order that was paid long ago stays, since whoever opens it wants the receipt', async () => {
  now = orders.recordedNow + 3_600_000
  try {
    const page = await (await browser.context()).newPage()
    await page.goto(`${site.url}/pay/back`)
    await ready(page)
    await page.getByRole('link', { name: 'Return to Northwind Coffee' }).waitFor()
    expect(await page.getByText(/^Returning in/).count()).toBe(0)
  } finally {
    now = orders.recordedNow
  }
})

test('behavior: while nobody sees the page it does not return to the shop', async () => {
  const page = await finished()
  const hide = (hidden: boolean) =>
    page.evaluate((value) => Object.defineProperty(document, 'hidden', { value, configurable: true }), hidden)
  await hide(true)
  await page.clock.runFor(60_000)
  await page.getByText('Returning in 10 seconds.').waitFor()
  await hide(false)
  await page.clock.runFor(11_000)
  await page.waitForURL('http://localhost/thanks')
})

test('behavior: the list of languages closes with Escape, and on a wide screen it covers no total', async () => {
  const page = await (await browser.context({ viewport: { width: 1280, height: 700 } })).newPage()
  await page.goto(`${site.url}/pay/waiting`)
  await ready(page)
  const summary = page.locator('.foot summary')
  // The listener comes with the later parts of the page, so the key is pressed until the list is closed.
  await page.locator('.foot details').evaluate((list) => list.toggleAttribute('open', true))
  await summary.blur()
  await page.locator('.foot ul').waitFor()
  await until(async () => {
    await page.keyboard.press('Escape')
    return !(await page.locator('.foot ul').isVisible())
  })
  expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true)
  await summary.click()
  const list = (await page.locator('.foot ul').boundingBox())!
  const total = (await page.locator('.sum .tot').boundingBox())!
  expect(list.y).toBeGreaterThan(total.y + total.height)
  await until(async () => page.locator('.foot ul').evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight + 1))
})

test.each([320, 390, 600, 899])('behavior: at %d pixels the whole list of languages is on the screen', async (width) => {
  for (const locale of ['en', 'ar']) {
    const page = await (await browser.context({ viewport: { width, height: 844 } })).newPage()
    await page.goto(`${site.url}/pay/waiting?locale=${locale}`)
    await page.locator('.foot summary').click()
    const box = (await page.locator('.foot ul').boundingBox())!
    expect(box.x, locale).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width, locale).toBeLessThanOrEqual(width)
    await page.close()
  }
})

test('behavior: the check is drawn, but stands still for whoever wants less motion', async () => {
  for (const [reducedMotion, count] of [
    ['no-preference', 1],
    ['reduce', 0],
  ] as const) {
    const page = await (await browser.context({ reducedMotion })).newPage()
    await page.addInitScript({
      content: 'addEventListener("animationstart", ({ animationName }) => (window.drawn ??= []).push(animationName))',
    })
    await page.goto(`${site.url}/pay/07-completed`)
    await ready(page)
    await page.locator('.seal').waitFor()
    const drawn = () => page.evaluate('(window.drawn ?? []).filter((name) => name === "draw").length')
    await expect.poll(drawn, { message: reducedMotion }).toBe(count)
  }
})

test('behavior: at 360 px no label of a button breaks into two lines', async () => {
  const page = await (await browser.context({ viewport: { width: 360, height: 640 } })).newPage()
  await page.goto(`${site.url}/pay/07-completed`)
  await ready(page)
  const heights = await page.locator('.pair .btn').evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height))
  expect(heights).toEqual([52, 52, 52])
})

test('behavior: the page stays while money of the payer is held', async () => {
  const page = await (await browser.context()).newPage()
  await page.clock.install({ time: orders.recordedNow })
  await page.goto(`${site.url}/pay/07b-overpaid`)
  await ready(page)
  await page.getByRole('heading', { name: 'You’ve paid, and 7.50 USDC on Base is still yours' }).waitFor()
  await page.clock.runFor(60_000)
  expect(page.url()).toBe(`${site.url}/pay/07b-overpaid`)
})

test('behavior: the receipt is saved as a PDF or as a page', async () => {
  const page = await (await browser.context({ acceptDownloads: true })).newPage()
  await page.goto(`${site.url}/pay/07-completed`)
  await ready(page)
  for (const [kind, ending] of [
    ['PDF', 'pdf'],
    ['HTML', 'html'],
  ]) {
    const link = page.getByRole('link', { name: `Save receipt ${kind}` })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toBe(`receipt-NW-20418.${ending}`)
  }
})

test('behavior: a receipt that is slow to come is saved, because the page stays with a payer who has asked for it', async () => {
  const page = await (await browser.context({ acceptDownloads: true })).newPage()
  await page.clock.install({ time: orders.recordedNow })
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/receipt.pdf*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${site.url}/pay/07-completed`)
  await ready(page)
  await page.getByText(/^Returning in/).waitFor()
  const downloaded = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save receipt PDF' }).click({ noWaitAfter: true })
  await page.clock.runFor(60_000)
  expect(await page.getByText(/^Returning in/).count()).toBe(0)
  answer()
  expect((await downloaded).suggestedFilename()).toBe('receipt-NW-20418.pdf')
  expect(new URL(page.url()).host).toBe(new URL(site.url).host)
})

test('behavior: the page stays with a payer who has opened something', async () => {
  const page = await (await browser.context()).newPage()
  await page.clock.install({ time: orders.recordedNow })
  await page.goto(`${site.url}/pay/07-completed`)
  await ready(page)
  await page.getByText(/^Returning in/).waitFor()
  await page.getByText('Continue on your phone', { exact: true }).click()
  await page.clock.runFor(60_000)
  expect(await page.getByText(/^Returning in/).count()).toBe(0)
  expect(new URL(page.url()).host).toBe(new URL(site.url).host)
})

test('behavior: whoever paid at a desk can open the order on a phone, which is not offered on a phone', async () => {
  const desk = await (await browser.context()).newPage()
  await desk.goto(`${site.url}/frame/07-completed`)
  await desk.getByText('Continue on your phone', { exact: true }).click()
  const code = desk.getByRole('img', { name: 'Continue on your phone' })
  await code.waitFor()
  expect(await code.getAttribute('data-qr')).toBe(`${site.url}/pay/07-completed`)
  const phone = await (await browser.context({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })).newPage()
  await phone.goto(`${site.url}/pay/07-completed`)
  await ready(phone)
  await phone.getByRole('link', { name: 'Save receipt PDF' }).waitFor()
  expect(await phone.getByText('Continue on your phone').count()).toBe(0)
})

test('behavior: the timer appears at five minutes by the service’s clock, whatever the device’s clock says', async () => {
  const context = await browser.context()
  const page = await context.newPage()
  await page.clock.install({ time: new Date('2031-01-01T00:00:00Z') })
  await page.goto(`${site.url}/pay/nearly`)
  await ready(page)
  expect(await page.getByRole('timer').count()).toBe(0)
  now += 70_000
  await page.clock.runFor(70_000)
  await page
    .getByRole('timer')
    .filter({ hasText: /Price held for 4:\d\d/ })
    .waitFor()
  await page.getByRole('status').filter({ hasText: 'The price is held for' }).waitFor({ state: 'attached' })
  expect(await page.getByRole('button', { name: 'I need more time' }).isVisible()).toBe(true)
  now += 60_000
  await page.reload()
  await ready(page)
  await page
    .getByRole('timer')
    .filter({ hasText: /Price held for 3:\d\d/ })
    .waitFor()
  now = orders.recordedNow
})

test('behavior: the URL holds the choice, and Back and Forward move through it', async () => {
  const page = await (await browser.context()).newPage()
  await page.goto(`${site.url}/pay/waiting`)
  await ready(page)
  await page.getByRole('link', { name: 'Other ways to pay' }).click()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  await page.waitForURL(/method=choose/)
  await page.goBack()
  await page.getByRole('heading', { name: /Send 42\.50/ }).waitFor()
  await page.getByText('With amount', { exact: true }).click()
  await page.waitForURL(/qr=amount/)
  await page.reload()
  expect(await page.getByRole('radio', { name: 'With amount' }).isChecked()).toBe(true)
})

test.for([
  ['styles', /\/till-[^/]*\.css/],
  ['texts', /\/assets\/en-/],
  ['code that fetches both', /\/whole-/],
] as const)('error: where the %s of the other screens were not fetched, the next screen still has its words', async ([, file]) => {
  const page = await (await browser.context()).newPage()
  await page.route(file, (route) => route.abort(), { times: 1 })
  await page.goto(`${site.url}/pay/waiting`)
  await ready(page)
  await page.getByRole('link', { name: 'Other ways to pay' }).click()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
})

test('behavior: a shop may hide the footer', async () => {
  const page = await (await browser.context()).newPage()
  await page.goto(`${site.url}/pay/footless`)
  expect(await page.locator('footer').count()).toBe(0)
})
