import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/wire/order.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { listening, openShop, type Shop } from '../support/service/checkout.ts'
import { complaints, eventLog, startMerchantSite, eventTypes, type MerchantSite } from '../support/browser/merchant-page.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { injectWallet, signatures } from '../support/wallets/injected-wallets.ts'

/** The whole journey, with the page and the payments service as two processes: by link, in a frame and in a webview. */

let service: Service
let pages: Service
let shop: Shop
let site: MerchantSite
let keys: { readonly api_key: string; readonly api_secret: string }
let accounts: readonly { readonly private_key: string }[]
let rpcUrl: string
const browser = useBrowser()

beforeAll(async () => {
  ;[service, site] = await Promise.all([startService(), startMerchantSite()])
  shop = await openShop(service)
  const fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as {
    organization: typeof keys
    accounts: typeof accounts
    chains: { chain_id: number; rpc_url: string }[]
  }
  keys = fixtures.organization
  accounts = fixtures.accounts
  rpcUrl = fixtures.chains.find(({ chain_id }) => chain_id === 8453)!.rpc_url
  pages = await startService({ env: { BASE_URL: service.baseUrl, API_KEY: keys.api_key, API_SECRET: keys.api_secret } })
})
afterAll(() => Promise.all([pages?.close(), service?.close(), site?.close()]))

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const inAnApp = {
  ...phone,
  userAgent:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0 Mobile Safari/537.36 Instagram 350.0',
}

/** A way to show the page, and the locator root to read it with. */
interface Surface {
  readonly name: string
  readonly options: object
  open(page: Page, order: Order): Promise<Page | FrameLocator>
}

const link = (order: Order): string => `${pages.payUrl}/pay/${order.id}`
async function openLink(page: Page, order: Order): Promise<Page> {
  await page.goto(link(order))
  await listening(page)
  return page
}
async function openFrame(page: Page, order: Order): Promise<FrameLocator> {
  const html = `<!doctype html><html lang="en"><title>Shop</title><script>${eventLog}</script><script async src="${pages.payUrl}/till.js"></script><till-checkout order="${order.id}"></till-checkout></html>`
  await page.goto(site.put(`/${order.id}`, html))
  const frame = page.frameLocator('till-checkout iframe')
  await frame.locator('#till[data-ready=live]').waitFor()
  return frame
}

const surfaces: readonly Surface[] = [
  { name: 'at a link', options: phone, open: openLink },
  { name: 'in a frame', options: {}, open: openFrame },
  { name: 'in a webview', options: inAnApp, open: openLink },
]

for (const { name, options, open } of surfaces) {
  test(`default: order, methods, part, top-up, /ws: ${name}`, async () => {
    const order = await shop.order({ embed_origins: [site.origin] })
    const { methods } = await shop.client.ask('paymentMethods', { params: { order_id: order.id } })
    expect(methods.find(({ method }) => method === 'DEPOSIT_ADDRESS')).toMatchObject({ available: true })
    const page = await (await browser.context(options)).newPage()
    const wrong = complaints(page)
    const received: string[] = []
    page.on('websocket', (socket) => {
      expect(socket.url()).toBe(`${service.baseUrl.replace(/^http/, 'ws')}/ws`)
      socket.on('framereceived', ({ payload }) => received.push(String(payload)))
    })
    const surface = await open(page, order)
    await surface.getByRole('button', { name: /Send to address/ }).click()
    await surface.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
    const to = (await surface.locator('#address').textContent()) ?? ''
    const { asset } = order.fulfillment
    const payer = shop.payer(asset.chain_id)
    await payer.pay(asset.address, to, 20_000_000n)
    await surface.getByRole('heading', { name: /Send the remaining 22\.50 USDC/ }).waitFor()
    await until(async () => (await shop.read(order.id)).status === 'PARTIAL_PAYMENT')
    await payer.pay(asset.address, to, 22_500_000n)
    await surface.getByRole('link', { name: 'Save receipt PDF' }).waitFor()
    await until(() => received.some((text) => text.includes('"ORDER_COMPLETED"')))
    expect(received.some((text) => text.includes('"ORDER_PARTIAL_PAYMENT"'))).toBe(true)
    expect((await shop.read(order.id)).status).toBe('COMPLETED')
    expect(wrong).toEqual([])
  })
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
}

for (const [index, { name, options, open }] of surfaces.entries()) {
  test(`default: a wallet pays with one signature: ${name}`, async () => {
    const order = await shop.order({ embed_origins: [site.origin] })
    const context = await browser.context(options)
    const wallet = await injectWallet(context, { name: 'Alpha', privateKey: accounts[1 + index]!.private_key, rpcUrl })
    const page = await context.newPage()
    let header: string | undefined
    context.on('request', (request) => (header ??= request.headers()['payment-signature']))
    const surface = await open(page, order)
    await surface.getByRole('link', { name: /^W? ?Wallet/ }).click()
    if (name === 'in a frame') {
      // Browser wallets do not inject into frames, so the page opens in a window and the frame receives the outcome.
      const [full] = await Promise.all([context.waitForEvent('page'), surface.getByRole('link', { name: 'Open the full page' }).click()])
      await signIn(full)
      await until(async () => (await eventTypes(page)).at(-1) === 'paid')
    } else await signIn(page)
    expect(signatures(wallet)).toBe(1)
    expect(header).toBeDefined()
    expect((await shop.read(order.id)).payment?.source_tx_hash).toMatch(/^0x/)
  })
}
