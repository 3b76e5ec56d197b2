import { serve, type ServerType } from '@hono/node-server'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { endpoints } from '../../src/wire/endpoints.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints, eventLog, hostEvents, startMerchantSite, eventTypes, type MerchantSite } from '../support/browser/merchant-page.ts'
import * as orders from '../support/orders/orders.ts'
import { recordedService } from '../support/browser/recorded-service.ts'
import { startService } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** Embedding edge cases: wallets that need a window, texts around a frame, and what may run on our origin. */

const here = useShopSite()
const browser = useBrowser()

let pages = 0
async function open(body: string, options: { till?: string; on?: MerchantSite; locale?: string } = {}) {
  const { till = here.service.payUrl, on = here.site, locale } = options
  const page = await (await browser.context({ locale })).newPage()
  const wrong = complaints(page)
  await page.goto(on.put(`/${++pages}`, `<!doctype html><script>${eventLog}</script><script async src="${till}/till.js"></script>${body}`))
  return { page, wrong }
}
const order = () => here.shop.order({ embed_origins: [here.site.origin] })
async function toWallets(page: Page, of: string) {
  const frame = page.frameLocator(`${of} iframe`)
  await frame.getByRole('link', { name: /^Wallet/ }).click()
  return frame.getByRole('link', { name: 'Open the full page' })
}

test('behavior: where a frame cannot reach the wallet, its host opens a window and the frame reports the outcome', async () => {
  const made = await order()
  const { page, wrong } = await open(`<till-button order="${made.id}">Pay</till-button>`)
  await page.getByRole('button', { name: 'Pay' }).click()
  const link = await toWallets(page, 'dialog')
  const [full] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  await full.getByRole('heading', { name: 'Choose your wallet' }).waitFor()
  expect(full.url()).toBe(`${made.hosted_url}?method=wallet`)
  expect(await full.evaluate(() => window.opener as unknown)).toBeNull()
  await full.goto(made.hosted_url!)
  await full.getByRole('button', { name: /Send to address/ }).click()
  const to = await full.locator('#address').textContent()
  const { asset } = made.fulfillment
  await here.shop.payer(asset.chain_id).pay(asset.address, to!, 42_500_000n)
  await until(async () => (await eventTypes(page)).at(-1) === 'paid')
  expect(wrong).toEqual([])
})

test('behavior: when no window can be opened, the whole tab navigates and the click is not lost', async () => {
  const made = await order()
  const { page } = await open(
    `<script>const real = open; window.open = (url, name) => name === '_top' ? real(url, name) : null</script><till-checkout order="${made.id}"></till-checkout>`,
  )
  await (await toWallets(page, 'till-checkout')).click()
  await page.waitForURL(`${made.hosted_url}?method=wallet`)
})

test('behavior: a frame whose host does not answer contains an ordinary link', async () => {
  const made = await order()
  const { page } = await open(
    `<div class="bare"><iframe src="${here.service.payUrl}/frame/${made.id}" width="600" height="900"></iframe></div>`,
  )
  const link = await toWallets(page, '.bare')
  const [full] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  await full.waitForURL(`${made.hosted_url}?method=wallet`)
})

test('behavior: text around a frame is in the language of the page inside it', async () => {
  const made = await order()
  const { page } = await open(`<till-checkout order="${made.id}"></till-checkout><till-button order="${made.id}">Zahlen</till-button>`, {
    locale: 'de-DE',
  })
  await until(async () => (await eventTypes(page)).includes('ready'))
  expect(await page.locator('till-checkout iframe').getAttribute('title')).toBe('Sichere Zahlung')
  const button = page.getByRole('button', { name: 'Zahlen' })
  await button.click()
  // A busy button keeps its label.
  await button.waitFor({ state: 'attached' })
  const dialog = page.getByRole('dialog', { name: 'Sichere Zahlung' })
  await dialog.getByText('Sichere Zahlung').waitFor()
  await dialog.getByRole('button', { name: 'Schließen' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('error: when an inline frame is refused, the button shows the merchant’s label', async () => {
  const made = await here.shop.order({ embed_origins: [] })
  const { page } = await open(`<till-checkout order="${made.id}">Weiter zur Kasse</till-checkout>`)
  await page.locator('till-checkout').getByRole('button').click()
  await page.waitForURL(made.hosted_url!)
})

test('behavior: a pages-only instance in front of another service lets only EMBED_ORIGINS frame it', async () => {
  const behind: ServerType = serve({ fetch: recordedService(() => new Map([['one', { ...orders.pending(), id: 'one' }]])).fetch, port: 0 })
  await once(behind, 'listening')
  const unlistedSite = await startMerchantSite()
  const alone = await startService({
    env: {
      BASE_URL: `http://localhost:${(behind.address() as AddressInfo).port}/v3`,
      API_KEY: 'pk_test',
      API_SECRET: 'sk_test',
      EMBED_ORIGINS: here.site.origin,
    },
  })
  try {
    const { headers } = await fetch(`${alone.payUrl}/frame/one`)
    expect(headers.get('content-security-policy')).toMatch(new RegExp(`frame-ancestors ${here.site.origin};`))
    const till = alone.payUrl
    const { page } = await open('<till-checkout order="one"></till-checkout>', { till })
    await until(async () => (await eventTypes(page)).includes('ready'))
    const { page: other } = await open('<till-checkout order="one"></till-checkout>', { till, on: unlistedSite })
    await until(async () => (await hostEvents(other)).some(({ type, detail }) => type === 'error' && detail.code === 'refused'))
  } finally {
    await Promise.all([alone.close(), unlistedSite.close(), new Promise((done) => behind.close(done))])
  }
})

test('error: nothing that an unauthenticated caller writes runs as a script on our origin', async () => {
  const made = await here.shop.order({ return_url: 'https://shop.example/alert(1)' }, { metadata: { reference: 'alert(1)//' } })
  const ids = { order_id: made.id, id: made.id }
  const fill = (path: string) => path.replace(/[:{](\w+)\}?/g, (_, name: string) => (name in ids ? made.id : 'alert(1)'))
  const urls = [
    ...Object.values(endpoints).flatMap(({ method, path }) => (method === 'GET' ? [`/v3${fill(path)}`] : [])),
    ...['pay', 'frame', 'popup'].flatMap((at) =>
      ['', '/logo', '/image/0', '/receipt', '/alert(1)'].map((part) => `/${at}/${made.id}${part}`),
    ),
    `/pay/${made.id}?locale=alert(1)&find=alert(1)`,
    '/pay/alert(1)',
    '/alert(1).js',
    '/assets/alert(1).js',
    '/assets/..%2f..%2fpackage.json',
    '/v3/alert(1)',
    '/invoices/alert(1)',
    '/invoices/alert(1)/pdf',
    '/frame',
    '/openapi.json',
    '/robots.txt',
  ]
  expect(urls.length).toBeGreaterThan(30)
  const runnable: string[] = []
  for (const path of urls) {
    const answer = await fetch(here.service.payUrl + path, { redirect: 'manual', headers: { 'x-api-key': 'alert(1)' } })
    const type = answer.headers.get('content-type') ?? ''
    const text = await answer.text()
    const harmless = text === '' || text === '404 Not Found' || answer.headers.get('x-content-type-options') === 'nosniff'
    if (!harmless || /javascript|ecmascript/.test(type)) runnable.push(`${path} ${type}`)
  }
  expect(runnable).toEqual([])

  // The script policy allows only our build's folder, so an injected script would be blocked.
  const page = await (await browser.context()).newPage()
  await page.goto(made.hosted_url!)
  // This is text because the test runner would replace the browser's import() with its own.
  const imported = (paths: readonly string[]) =>
    page.evaluate<string[]>(`(async () => {
      const ran = []
      for (const path of ${JSON.stringify(paths)}) await import(location.origin + path).then(() => ran.push(path), () => {})
      return ran
    })()`)
  const ours = await page.evaluate(() => new URL(document.querySelector<HTMLScriptElement>('script[type=module][src]')!.src).pathname)
  expect(await imported([ours])).toEqual([ours])
  expect(await imported([...urls, '/till.js'])).toEqual([])
})
