import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { listening, openShop, ready, watch, type Shop } from '../support/service/checkout.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** Failures around the page: going offline during a payment, a lost socket, a restarted service and a sleeping page. */

let service: Service
let shop: Shop
const browser = useBrowser()

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
})
afterAll(() => service?.close())

async function open() {
  const { order, to, raw, asset } = await shop.instructed()
  const context = await browser.context()
  const page = await context.newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(order.hosted_url)
  await listening(page)
  const pay = (amount = raw) => shop.payer(order.fulfillment.asset.chain_id).pay(asset, to, amount)
  return { order, context, page, wrong, pay, raw }
}

/** Keeps back the files that match until what it returns is called. */
async function hold(page: Page, files: RegExp): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(files, async (route) => {
    await held
    await route.continue()
  })
  return release
}

test('behavior: a page that goes offline in the middle of a payment says so and recovers by itself', async () => {
  const { context, page, pay, wrong } = await open()
  await context.setOffline(true)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.getByText('Connection lost. Your payment is safe.').waitFor()
  // The address and the code stay because a transfer from another device still arrives.
  expect(await page.getByRole('button', { name: 'Copy address' }).isVisible()).toBe(true)
  await pay()
  await context.setOffline(false)
  await page
    .getByText(/Payment detected|Received:|Paid/)
    .first()
    .waitFor()
  await page.getByText('Connection lost. Your payment is safe.').waitFor({ state: 'hidden' })
  expect(wrong).toEqual([])
})

test('behavior: a list that a lost connection has cut short is complete again afterwards', async () => {
  const { context, page } = await open()
  await context.setOffline(true)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.getByText('Connection lost. Your payment is safe.').waitFor()
  await page.getByRole('link', { name: /Other token or network/ }).click()
  await page.getByText('That didn’t work').waitFor()
  await context.setOffline(false)
  await page.getByText('That didn’t work').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: /^ETH Base / }).waitFor()
})

test('behavior: a connection lost before the live script loads is shown, and recovers by itself', async () => {
  const { order, to, raw, asset } = await shop.instructed()
  const page = await (await browser.context()).newPage()
  await page.route(/assets\/live-/, (route) => route.abort())
  await page.goto(order.hosted_url)
  await page.getByText('Connection lost. Your payment is safe.').waitFor()
  await shop.payer(order.fulfillment.asset.chain_id).pay(asset, to, raw)
  await page.unroute(/assets\/live-/)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
})

test('behavior: a page that slept in the background shows the current state when it wakes', async () => {
  const { order, context, page, pay } = await open()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: false })
  await cdp.send('Page.setWebLifecycleState', { state: 'frozen' })
  await pay()
  await until(async () => (await shop.read(order.id)).status === 'COMPLETED')
  await cdp.send('Page.setWebLifecycleState', { state: 'active' })
  await page
    .getByText(/Paid|Payment detected|Received:/)
    .first()
    .waitFor()
})

test('behavior: a page reopened in another browser shows the same state', async () => {
  const { order, page, pay, raw } = await open()
  await page.close()
  await pay(raw / 2n)
  const other = await (await browser.context({ locale: 'fr' })).newPage()
  await other.goto(order.hosted_url)
  await ready(other)
  await other.getByRole('heading', { level: 1, name: /21,25/ }).waitFor()
  expect(await other.getAttribute('html', 'lang')).toBe('fr')
  await other.goto(`${order.hosted_url}?method=choose`)
  await other.getByRole('heading', { level: 1, name: /21,25/ }).waitFor()
})

test('behavior: an order is paid through a second, pages-only process in front of the first', async () => {
  const pagesOnly = await startService({
    env: { BASE_URL: service.baseUrl, API_KEY: shop.client.keys.apiKey, API_SECRET: shop.client.keys.secret },
  })
  onTestFinished(() => pagesOnly.close())
  const order = await shop.order()
  const page = await (await browser.context()).newPage()
  const wrong = watch(page, [pagesOnly.payUrl, service.payUrl])
  await page.goto(`${pagesOnly.payUrl}/pay/${order.id}`)
  await ready(page)
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  const address = (await page.locator('#address').textContent()) ?? ''
  await shop.payer(order.fulfillment.asset.chain_id).pay(order.fulfillment.asset.address, address, 42_500_000n)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  expect(wrong).toEqual([])
})

test('behavior: an open page reaches the receipt although the service is killed and restarted', async () => {
  const { order, to, raw, asset } = await shop.instructed()
  const page = await (await browser.context()).newPage()
  await page.goto(order.hosted_url)
  await ready(page)
  await service.kill9()
  await page.getByText('Connection lost. Your payment is safe.').waitFor()
  service = await startService({ dataFolder: service.dataFolder, env: { PORT: new URL(service.payUrl).port } })
  shop = await openShop(service)
  await shop.payer(order.fulfillment.asset.chain_id).pay(asset, to, raw)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
})

test('behavior: a page whose other screens could not be fetched renews itself and still reaches the receipt', async () => {
  const { order, to, raw, asset } = await shop.instructed()
  const page = await (await browser.context()).newPage()
  await page.route(/assets\/secondary-/, (route) => route.abort())
  await page.goto(order.hosted_url)
  await listening(page)
  // The page looks whether it can renew itself by such a request, and until then it has a link for that.
  await page.route(order.hosted_url, (route) => (route.request().method() === 'HEAD' ? route.abort() : route.continue()))
  await shop.payer(order.fulfillment.asset.chain_id).pay(asset, to, raw)
  await page.getByRole('link', { name: 'Try again' }).waitFor()
  await page.unroute(/assets\/secondary-/)
  await page.unroute(order.hosted_url)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
})

test('behavior: a page whose rendered screen could not be fetched renews itself and comes alive', async () => {
  const { order, to, raw, asset } = await shop.instructed()
  await shop.payer(order.fulfillment.asset.chain_id).pay(asset, to, raw)
  await until(async () => (await shop.read(order.id)).status === 'COMPLETED', { what: 'the order is completed' })
  const page = await (await browser.context()).newPage()
  await page.route(/assets\/secondary-/, (route) => route.abort())
  await page.goto(order.hosted_url)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  expect(await page.locator('#till[data-ready]').count()).toBe(0)
  await page.unroute(/assets\/secondary-/)
  await listening(page)
})

test('behavior: a click before the other screens load shows the address at once, and the QR code when its script arrives', async () => {
  const order = await shop.order()
  const page = await (await browser.context()).newPage()
  const wrong = watch(page, [service.payUrl])
  const release = await hold(page, /assets\/secondary-/)
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.locator('#address').waitFor()
  const code = page.getByRole('img', { name: /^QR code: the address below/ })
  expect(await code.getAttribute('aria-busy')).toBe('true')
  release()
  await code.locator('image').waitFor({ state: 'attached' })
  expect(await code.getAttribute('aria-busy')).toBeNull()
  expect(await page.locator('#address').isVisible()).toBe(true)
  expect(wrong).toEqual([])
})

test('behavior: a refund address that is typed before the other screens load stays, and so does the cursor', async () => {
  const { order } = await shop.instructed()
  const page = await (await browser.context()).newPage()
  const release = await hold(page, /assets\/secondary-/)
  await page.goto(order.hosted_url)
  await ready(page)
  const address = '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c'
  await page.getByText('Refund address (optional)').click()
  const field = page.getByRole('textbox', { name: 'Your address on Base' })
  await field.pressSequentially(address.slice(0, 20))
  const served = await field.elementHandle()
  release()
  await page.waitForFunction((element) => !element?.isConnected, served)
  await field.pressSequentially(address.slice(20))
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('refund')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Money that has to go back').waitFor()
  await until(async () => (await shop.read(order.id)).payment?.refund?.address?.toLowerCase() === address)
})

test('behavior: Back after a reload leads to the ways to pay, also before the live script has loaded', async () => {
  const order = await shop.order()
  const page = await (await browser.context()).newPage()
  await page.goto(order.hosted_url)
  await listening(page)
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.locator('#address').waitFor()
  const release = await hold(page, /assets\/live-/)
  await page.reload()
  await ready(page)
  await page.goBack()
  expect(new URL(page.url()).searchParams.get('method')).toBe('choose')
  release()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
})

test('behavior: Back before the live script has loaded is followed once it has', async () => {
  const order = await shop.order()
  const page = await (await browser.context()).newPage()
  const release = await hold(page, /assets\/live-/)
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('link', { name: 'Other token or network' }).click()
  await page.getByRole('heading', { name: 'Choose what to send' }).waitFor()
  await page.goBack()
  expect(new URL(page.url()).search).not.toContain('pick')
  release()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
})
