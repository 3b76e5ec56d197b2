import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { openShop, type Shop, watch } from '../support/checkout.ts'
import { createPayer } from '../support/payer.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { type RemoteOptions, startRemoteWallet, type RemoteWallet } from '../support/remote-wallet.ts'
import { startService, type Service } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { toWallets } from '../support/wallets.ts'

/** A wallet on another device, from the code on the screen to the receipt: a real Chromium, a real client, a real chain. */

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

const takeWallet = async (options: Partial<RemoteOptions> = {}): Promise<RemoteWallet & { balance(asset: string): Promise<bigint> }> => {
  const privateKey = keys[1 + (used++ % 8)]!
  const wallet = await startRemoteWallet({ relayUrl: relay.url, privateKey, rpcUrl, ...options })
  onTestFinished(() => wallet.close())
  return Object.assign(wallet, { balance: (asset: string) => createPayer(rpcUrl, privateKey).balance(asset, wallet.address) })
}

/** What a camera reads off the screen. */
const readCode = async (page: Page): Promise<string> => {
  const code = page.locator('svg[data-qr^="wc:"][aria-label]')
  await code.locator('path[d^="M"]').waitFor({ state: 'attached' })
  const shot = await code.screenshot({ scale: 'css' })
  const canvas = await (await page.context().newPage()).goto('about:blank').then(async () => page.context().pages().at(-1)!)
  const { width, height, data } = await canvas.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))]))
    const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d')!
    drawing.drawImage(image, 0, 0)
    return { width: image.width, height: image.height, data: [...drawing.getImageData(0, 0, image.width, image.height).data] }
  }, shot.toString('base64'))
  await canvas.close()
  const read = jsQR(new Uint8ClampedArray(data), width, height)
  if (!read) throw new Error('the code on the screen cannot be read')
  return read.data
}

const receipt = (page: Page) => page.getByRole('region', { name: 'Receipt' }).waitFor({ timeout: 25_000 })

test('default: scanned, reviewed, signed on the other device, paid; then the wallet is let go', { timeout: 120_000 }, async () => {
  const wallet = await takeWallet()
  const order = await shop.order()
  const asset = order.fulfillment.asset.address
  const before = await wallet.balance(asset)
  const page = await (await browser.context(phone)).newPage()
  const wrong = watch(page, [service.payUrl])
  await toWallets(page, order.hosted_url)
  expect(relay.asked).toEqual([])
  await page.getByRole('button', { name: /Wallet on another device/ }).click()
  await wallet.scan(await readCode(page))
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  expect(await page.locator('main').textContent()).toContain(wallet.address)
  await page.getByRole('button', { name: 'Sign in Pocket' }).click()
  await receipt(page)
  expect(wallet.asked).toEqual(['eth_signTypedData_v4'])
  expect(before - (await wallet.balance(asset))).toBe(42_500_000n)
  await until(() => wallet.sessions() === 0, { what: 'the wallet is let go' })
  expect(wrong.filter((one) => !one.includes(relay.url.slice(5)))).toEqual([])
})
