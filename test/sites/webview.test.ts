import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints } from '../support/browser/merchant-page.ts'
import { subscribed } from '../support/service/checkout.ts'
import { until } from '../support/wait.ts'

/** The page inside other apps: in-app browsers that block wallets, and apps with a bridge. */

const here = useShopSite()
const browser = useBrowser()

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const instagram =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0 Mobile Safari/537.36 Instagram 350.0'
const webkitView = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'

test('behavior: in an app’s browser the page says so and offers a link to the system browser until it is paid', async () => {
  const made = await here.shop.order()
  const page = await (await browser.context({ ...phone, userAgent: instagram })).newPage()
  const wrong = complaints(page)
  await page.goto(`${made.hosted_url}?method=wallet`)
  await page.getByText('Open this page in your browser', { exact: true }).waitFor()
  const out = () => page.getByRole('link', { name: 'Open in your browser' }).getAttribute('href')
  expect(await out()).toBe(
    `intent://${new URL(made.hosted_url!).host}/pay/${made.id}?method=wallet#Intent;scheme=http;action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end`,
  )
  expect(await page.getByRole('button', { name: 'Copy link' }).getAttribute('data-copy')).toBe(`${made.hosted_url}?method=wallet`)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.goto(made.hosted_url!)
  await page.getByRole('button', { name: /Send to address/ }).click()
  const to = await page.locator('#address').textContent()
  await page.getByText('Open this page in your browser', { exact: true }).waitFor()
  const { asset } = made.fulfillment
  await here.shop.payer(asset.chain_id).pay(asset.address, to!, 42_500_000n)
  await page.getByText('Open this page in your browser', { exact: true }).waitFor({ state: 'detached' })
  expect(wrong).toEqual([])
})

test('behavior: on iOS the link is Safari’s own, in the payer’s language', async () => {
  const made = await here.shop.order()
  const page = await (await browser.context({ ...phone, userAgent: webkitView, locale: 'de-DE' })).newPage()
  await page.goto(`${made.hosted_url}?method=wallet`)
  const link = page.getByRole('link', { name: 'Im Browser öffnen' })
  expect(await link.getAttribute('href')).toBe(`x-safari-${made.hosted_url}?method=wallet`)
})

test('behavior: a real browser, a wallet’s browser and an app with a bridge get no link out', async () => {
  const made = await here.shop.order()
  const visits: [userAgent: string | undefined, init: string][] = [
    [undefined, ''],
    [webkitView, 'window.ethereum = { request: () => new Promise(() => {}), on() {} }'],
    [webkitView, 'window.ReactNativeWebView = { postMessage() {} }'],
    [webkitView, 'window.webkit = { messageHandlers: { till: { postMessage() {} } } }'],
    [instagram, 'window.TillAndroid = { postMessage() {} }'],
  ]
  for (const [userAgent, init] of visits) {
    const context = await browser.context({ ...phone, userAgent })
    await context.addInitScript(init)
    const page = await context.newPage()
    const fetched: string[] = []
    page.on('requestfinished', (request) => fetched.push(request.url()))
    await page.goto(made.hosted_url!)
    await page.waitForSelector('#till[data-ready=live]')
    await until(() => fetched.some((url) => url.includes('/assets/secondary-')))
    expect(await page.getByText('Open this page in your browser', { exact: true }).count(), init).toBe(0)
  }
})

test('behavior: the link out of a frame is the full page', async () => {
  const made = await here.shop.order({ embed_origins: [here.site.origin] })
  const page = await (await browser.context({ ...phone, userAgent: webkitView })).newPage()
  await page.goto(
    here.site.put(
      '/',
      `<!doctype html><script async src="${here.service.payUrl}/till.js"></script><till-checkout order="${made.id}"></till-checkout>`,
    ),
  )
  const frame = page.frameLocator('iframe')
  await frame.getByText('Open this page in your browser', { exact: true }).click()
  const link = frame.getByRole('link', { name: 'Open in your browser' })
  expect(await link.getAttribute('href')).toBe(`x-safari-${made.hosted_url}`)
  expect(await link.getAttribute('target')).toBe('_top')
})

test('behavior: each bridge receives the whole payment, and the payer’s return', async () => {
  const made = await here.shop.order({ return_url: `${here.site.origin}/thanks` })
  here.site.put('/thanks', '<!doctype html><h1>Thanks</h1>')
  const context = await browser.context()
  const messages: { app: string; type: string; detail: { order: string; status?: string } }[] = []
  await context.exposeFunction(
    'tellTest',
    (app: string, text: string) => void messages.push({ ...(JSON.parse(text) as (typeof messages)[0]), app }),
  )
  await context.addInitScript(() => {
    const { tellTest } = window as unknown as { tellTest(app: string, text: string): void }
    Object.assign(window, {
      ReactNativeWebView: { postMessage: (text: string) => tellTest('reactNative', text) },
      TillAndroid: { postMessage: (text: string) => tellTest('android', text) },
      webkit: { messageHandlers: { till: { postMessage: (message: object) => tellTest('apple', JSON.stringify(message)) } } },
    })
  })
  const page = await context.newPage()
  const follows = subscribed(page)
  await page.goto(made.hosted_url!)
  await page.getByRole('button', { name: /Send to address/ }).click()
  const to = await page.locator('#address').textContent()
  const { asset } = made.fulfillment
  await follows
  await here.shop.payer(asset.chain_id).pay(asset.address, to!, 42_500_000n)
  await page.getByRole('link', { name: /^Return to/ }).click()
  await page.getByRole('heading', { name: 'Thanks' }).waitFor()
  const expected = ['ready', 'method', 'pending', 'paid', 'close']
  for (const app of ['reactNative', 'android', 'apple']) {
    const appMessages = messages.filter((message) => message.app === app && message.type !== 'resize')
    expect(appMessages.map(({ type }) => type)).toEqual(expected)
    expect(new Set(appMessages.map(({ detail }) => detail.order))).toEqual(new Set([made.id]))
    expect(appMessages.find(({ type }) => type === 'paid')?.detail.status).toBe('COMPLETED')
  }
})
