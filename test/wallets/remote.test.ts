import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, type Shop, watch } from '../support/service/checkout.ts'
import { full } from '../support/full.ts'
import { createPayer } from '../support/wallets/payer.ts'
import { type Relay, startRelay } from '../support/wallets/relay.ts'
import { type RemoteOptions, startRemoteWallet, type RemoteWallet } from '../support/wallets/remote-wallet.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { toWallets } from '../support/wallets/injected-wallets.ts'

/** A wallet on another device pays by scanning the code: a real Chromium, a real WalletConnect client, a real chain. */

let service: Service
let shop: Shop
let relay: Relay
let keys: readonly string[]
let rpcUrl: string
const browser = useBrowser()

beforeAll(async () => {
  relay = await startRelay()
  service = await startService({ env: { WALLETCONNECT_PROJECT_ID: 'till-test', WALLETCONNECT_RELAY_URL: relay.url } })
  shop = await openShop(service)
  const fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as {
    accounts: { private_key: string }[]
    chains: { chain_id: number; rpc_url: string }[]
  }
  keys = fixtures.accounts.map(({ private_key }) => private_key)
  rpcUrl = fixtures.chains.find(({ chain_id }) => chain_id === 8453)!.rpc_url
})
afterAll(async () => {
  await service?.close()
  await relay?.close()
})

const phone = { viewport: { width: 390, height: 844 } }
let used = 0

async function takeWallet(options: Partial<RemoteOptions> = {}): Promise<RemoteWallet & { balance(asset: string): Promise<bigint> }> {
  const privateKey = keys[1 + (used++ % 8)]!
  const wallet = await startRemoteWallet({ relayUrl: relay.url, privateKey, rpcUrl, ...options })
  onTestFinished(() => wallet.close())
  return Object.assign(wallet, { balance: (asset: string) => createPayer(rpcUrl, privateKey).balance(asset, wallet.address) })
}

/** Decodes the QR code from a screenshot as a camera would. */
async function readCode(page: Page): Promise<string> {
  const code = page.locator('svg[data-qr^="wc:"][aria-label]')
  await code.locator('image').waitFor({ state: 'attached' })
  const shot = await code.screenshot({ scale: 'css' })
  // The decoder runs in a blank page because the page's own policy blocks our script.
  const blank = await page.context().newPage()
  const { width, height, data } = await blank.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))]))
    const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d')!
    drawing.drawImage(image, 0, 0)
    return { width: image.width, height: image.height, data: [...drawing.getImageData(0, 0, image.width, image.height).data] }
  }, shot.toString('base64'))
  await blank.close()
  const read = jsQR(new Uint8ClampedArray(data), width, height)
  if (!read) throw new Error('the code on the screen cannot be read')
  return read.data
}

const receipt = (page: Page) => page.getByRole('region', { name: 'Receipt' }).waitFor()

test('default: scan, review, sign on the other device, pay; then the wallet is disconnected', async () => {
  const wallet = await takeWallet()
  const order = await shop.order()
  const asset = order.fulfillment.asset.address
  const before = await wallet.balance(asset)
  const page = await (await browser.context(phone)).newPage()
  const wrong = watch(page, [service.payUrl])
  await toWallets(page, order.hosted_url)
  expect(relay.requests).toEqual([])
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  await wallet.scan(await until(() => readCode(page)))
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  expect(await page.locator('main').textContent()).toContain(wallet.address)
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await receipt(page)
  expect(wallet.requests).toEqual(['eth_signTypedData_v4'])
  expect(before - (await wallet.balance(asset))).toBe(42_500_000n)
  await until(() => wallet.sessions() === 0, { what: 'the wallet is let go' })
  expect(wrong.filter((complaint) => !complaint.includes(relay.url.slice(5)))).toEqual([])
})

async function showCode(page: Page, url: string, row = /^Wallet on another device/): Promise<string> {
  await toWallets(page, url)
  await page.getByRole('button', { name: row }).click()
  return codeOn(page)
}
const codeOn = async (page: Page): Promise<string> => (await page.locator('svg[data-qr^="wc:"]').getAttribute('data-qr'))!

test('behavior: a refused connection and a refused signature can be retried; the QR code and the connection survive going back', async () => {
  const wallet = await takeWallet()
  const page = await (await browser.context(phone)).newPage()
  wallet.behavior = 'rejecting'
  const first = await showCode(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  expect(await codeOn(page)).toBe(first)
  await wallet.scan(first)
  await page.getByText('Nothing was paid, and everything is still here.').waitFor()
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  const second = await codeOn(page)
  expect(second).not.toBe(first)
  wallet.behavior = 'willing'
  await wallet.scan(second)
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  // A wallet that has connected once needs no new code.
  await page.getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  wallet.behavior = 'rejecting'
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await page.getByText('The request was closed in Pocket').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: 'Try again' }).click()
  await receipt(page)
  expect(wallet.requests).toHaveLength(2)
})

test.runIf(full)('error: a wallet that disconnects during a request is reported, and a new one pays once', async () => {
  const wallet = await takeWallet()
  const order = await shop.order()
  const before = await wallet.balance(order.fulfillment.asset.address)
  const page = await (await browser.context(phone)).newPage()
  await wallet.scan(await showCode(page, order.hosted_url))
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  wallet.behavior = 'silent'
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await until(() => wallet.requests.length === 1)
  await wallet.end()
  await page.getByText('is no longer connected').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  await wallet.scan(await codeOn(page))
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await receipt(page)
  expect(before - (await wallet.balance(order.fulfillment.asset.address))).toBe(42_500_000n)
})

test('error: an unreachable relay and an unscanned QR code are reported in plain words, and the next attempt works', async () => {
  const wallet = await takeWallet()
  const page = await (await browser.context(phone)).newPage()
  // Between two jumps of its clock the page gets real time for what it has to do.
  const paced = { every: 500 }
  await page.clock.install()
  relay.down()
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  await page.getByRole('heading', { name: 'Scan with your wallet' }).waitFor()
  await until(async () => {
    await page.clock.fastForward(1_000)
    return page.getByText('Wallets on other devices can’t be reached right now').isVisible()
  }, paced)
  relay.up()
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  const first = await codeOn(page)
  await until(async () => {
    await page.clock.fastForward(60_000)
    return page.getByText('The code expired before a wallet answered').isVisible()
  }, paced)
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  const second = await codeOn(page)
  expect(second).not.toBe(first)
  await wallet.scan(second)
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await receipt(page)
})

test.runIf(full)('error: a connection that breaks during a request recovers by itself, and the answer arrives', async () => {
  const wallet = await takeWallet()
  const page = await (await browser.context(phone)).newPage()
  await wallet.scan(await showCode(page, (await shop.order()).hosted_url))
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  relay.down()
  relay.up()
  await until(() => relay.clients() >= 2, { what: 'both sides are back' })
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await receipt(page)
  expect(wallet.requests).toHaveLength(1)
})

test('error: a wallet without the order’s network gets no request', async () => {
  const wallet = await takeWallet({ chainIds: [1] })
  const page = await (await browser.context(phone)).newPage()
  const onBase = { currency: { chain_id: 8453, address: shop.token(8453, 'USDC') } }
  await wallet.scan(await showCode(page, (await shop.order({}, onBase)).hosted_url))
  await page.getByRole('button', { name: 'Switch to Base' }).click()
  await page.getByText('Pocket didn’t switch to Base').waitFor()
  expect(wallet.requests).toEqual([])
})

test.runIf(full)('behavior: on a phone the installed wallets can open the code, and a tap brings the wallet to the front', async () => {
  const wallet = await takeWallet({ redirect: { native: 'javascript:alert(1)', universal: 'https://pocket.test/open' } })
  const page = await (await browser.context({ ...phone, hasTouch: true, isMobile: true })).newPage()
  const code = await showCode(page, (await shop.order()).hosted_url, /^Another wallet\s*WalletConnect$/)
  expect(await page.getByRole('link', { name: 'Open in a wallet' }).getAttribute('href')).toBe(code)
  await wallet.scan(code)
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  wallet.behavior = 'silent'
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  expect(await page.getByRole('link', { name: 'Open Pocket' }).getAttribute('href')).toBe('https://pocket.test/open')
})

test('behavior: a partly paid order gets the rest from the wallet, and blocked storage changes nothing', async () => {
  const wallet = await takeWallet()
  const { order, to, asset } = await shop.instructed()
  await shop.payer(8453).pay(asset, to, 20_000_000n)
  const before = await wallet.balance(asset)
  const context = await browser.context(phone)
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    }
  })
  const page = await context.newPage()
  await page.goto(order.hosted_url)
  await page.getByRole('button', { name: 'Pay the rest from a wallet' }).click()
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  await wallet.scan(await codeOn(page))
  await page.getByRole('button', { name: 'Send in Pocket' }).click()
  await receipt(page)
  expect(wallet.requests).toEqual(['eth_sendTransaction'])
  expect(before - (await wallet.balance(asset))).toBe(22_500_000n)
})

test('behavior: the page may connect to the configured relay and to no other', async () => {
  const { hosted_url } = await shop.order()
  const policy = (await fetch(hosted_url)).headers.get('content-security-policy') ?? ''
  const allowed = /connect-src ([^;]+)/.exec(policy)?.[1]?.split(' ')
  const { origin } = new URL(service.payUrl)
  expect(new Set(allowed)).toEqual(new Set(["'self'", origin, origin.replace('http', 'ws'), relay.url]))
  expect(policy).not.toContain('frame-src')
})
