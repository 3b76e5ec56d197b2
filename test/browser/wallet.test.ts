import { keccak256, toHex } from 'viem'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localeCodes } from '../../src/wire/locale.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, ready, type Shop, watch } from '../support/service/checkout.ts'
import { createPayer, type Payer } from '../support/wallets/payer.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { injectWallet, type Injected, type InjectedOptions, signatures, toWallets } from '../support/wallets/injected-wallets.ts'

/** Browser wallets from the tap on "Wallet" to the receipt, on a real chain. */

let service: Service
let shop: Shop
let accounts: readonly { readonly address: string; readonly private_key: string }[]
let rpcUrl: string
const browser = useBrowser()

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
  const fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as {
    accounts: typeof accounts
    chains: { chain_id: number; rpc_url: string }[]
  }
  accounts = fixtures.accounts
  rpcUrl = fixtures.chains.find(({ chain_id }) => chain_id === 8453)!.rpc_url
})
afterAll(() => service?.close())

let used = 0
const phone = { viewport: { width: 390, height: 844 } }

/** Gives each wallet its own payer so that no other test changes its balance. */
async function inject(
  context: BrowserContext,
  options: Partial<InjectedOptions> & { name: string },
): Promise<{ wallet: Injected; payer: Payer }> {
  const privateKey = options.privateKey ?? accounts[1 + (used++ % 8)]!.private_key
  return { wallet: await injectWallet(context, { privateKey, rpcUrl, ...options }), payer: createPayer(rpcUrl, privateKey) }
}

const receipt = (page: Page) => page.getByRole('region', { name: 'Receipt' }).waitFor()
const review = (page: Page) => page.getByRole('heading', { name: 'Check, then sign' }).waitFor()

test('default: one of two wallets signs once and the receipt appears; next time that wallet comes first', async () => {
  const context = await browser.context(phone)
  const { wallet: alpha } = await inject(context, { name: 'Alpha' })
  const { wallet: beta, payer } = await inject(context, { name: 'Beta' })
  const page = await context.newPage()
  const wrong = watch(page, [service.payUrl])
  const order = await shop.order()
  const asset = order.fulfillment.asset.address
  const before = await payer.balance(asset, payer.address)
  await toWallets(page, order.hosted_url)
  await page.getByRole('button', { name: /Alpha/ }).waitFor()
  await page.getByRole('button', { name: /Beta/ }).click()
  await review(page)
  // The page shows everything that the signature permits before it asks for one.
  const main = page.locator('main')
  await expect.poll(() => main.textContent()).toContain('42.50 USDC on Base ≈ $42.50')
  expect(await main.textContent()).toContain('Network feeFree')
  expect(await main.textContent()).toContain(payer.address)
  expect(await main.textContent()).toMatch(
    /Permission for one payment, until \d\d:\d\d.*42\.50 USDC on Base.*Sign in.*Permission to move exactly 42\.50 USDC on Base .* until \d\d:\d\d/,
  )
  await page.locator('h1:focus').waitFor()
  await page.getByRole('button', { name: 'Sign in Beta' }).click()
  await receipt(page)
  expect(signatures(beta)).toBe(1)
  expect(alpha.requests).toEqual([])
  expect(before - (await payer.balance(asset, payer.address))).toBe(42_500_000n)
  expect(wrong).toEqual([])

  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Alpha/ }).waitFor()
  expect(await page.locator('main li').first().textContent()).toContain('Beta')
  expect(await page.locator('main li').first().textContent()).toContain('Used here before')
})

test('default: the test wallet of local mode pays in two clicks', async () => {
  const page = await (await browser.context()).newPage()
  const wrong = watch(page, [service.payUrl])
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Test wallet/ }).click()
  await page.getByRole('button', { name: 'Sign in Test wallet' }).click()
  await receipt(page)
  expect(wrong).toEqual([])
})

test('default: the button that signs is on the first screen of a small phone, in every language', async () => {
  const page = await (await browser.context({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true })).newPage()
  const { hosted_url } = await shop.order()
  for (const locale of localeCodes) {
    await page.goto(`${hosted_url}?method=wallet&locale=${locale}`)
    await page
      .getByRole('button', { name: /Test wallet/ })
      .first()
      .click()
    // The screen before, which connects, has a button that names the wallet too.
    await page.locator('main dl').waitFor()
    const sign = page.locator('main dl ~ .btn')
    // The ribbon is not on a page that takes money.
    const below = await sign.evaluate((button) => {
      const bottomOf = (element: Element) => element.getBoundingClientRect().bottom
      return bottomOf(button) - bottomOf(document.querySelector('.ribbon')!)
    })
    expect(below, locale).toBeLessThanOrEqual(640)
  }
})

test('behavior: Back leads from a wallet to the wallets, and from there to the ways to pay, whatever was clicked on the page', async () => {
  const page = await (await browser.context(phone)).newPage()
  const wrong = watch(page, [service.payUrl])
  const wallets = () => page.getByRole('heading', { name: 'Choose your wallet' }).waitFor()
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Test wallet/ }).click()
  await review(page)
  await page.goBack()
  await wallets()
  await page.getByRole('button', { name: /Test wallet/ }).click()
  await review(page)
  await page.getByRole('button', { name: 'Other wallets' }).click()
  await wallets()
  await page.goBack()
  await page.getByRole('link', { name: /^W? ?Wallet/ }).waitFor()
  await page.goForward()
  await page.getByRole('button', { name: /Test wallet/ }).click()
  await page.getByRole('button', { name: 'Sign in Test wallet' }).click()
  await receipt(page)
  expect(wrong).toEqual([])
})

test('behavior: rejected, busy and locked are reported in plain words, and the next attempt pays', async () => {
  const context = await browser.context(phone)
  const { wallet } = await inject(context, { name: 'Alpha' })
  const page = await context.newPage()
  await toWallets(page, (await shop.order()).hosted_url)
  wallet.behavior = 'locked'
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByText('is locked, or shows this page no account').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: /Alpha/ }).click()
  await review(page)
  wallet.behavior = 'rejecting'
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await page.getByText('The request was closed in Alpha. Nothing was paid, and everything is still here.').waitFor()
  wallet.behavior = 'busy'
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('A request is already open in Alpha').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: 'Try again' }).click()
  await receipt(page)
  expect(signatures(wallet)).toBe(3)
})

test('behavior: a slow wallet is awaited; after cancel and retry its one open request is answered once', async () => {
  const context = await browser.context(phone)
  const { wallet, payer } = await inject(context, { name: 'Alpha' })
  const page = await context.newPage()
  const order = await shop.order()
  const asset = order.fulfillment.asset.address
  const before = await payer.balance(asset, payer.address)
  await toWallets(page, order.hosted_url)
  await page.getByRole('button', { name: /Alpha/ }).click()
  await review(page)
  let answer = () => {}
  wallet.behavior = { after: new Promise<void>((resolve) => (answer = resolve)) }
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await page.getByRole('heading', { name: 'Continue in Alpha' }).waitFor()
  await page.getByText('Waiting for Alpha').waitFor()
  // A click within the double-click interval is ignored, so the test clicks until the button is gone.
  await until(async () => {
    const cancel = page.getByRole('button', { name: 'Cancel' })
    if (await cancel.isVisible()) await cancel.click()
    return !(await cancel.isVisible())
  })
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: /Alpha/ }).click()
  await review(page)
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await page.getByText('Waiting for Alpha').waitFor()
  answer()
  await receipt(page)
  expect(signatures(wallet)).toBe(1)
  expect(before - (await payer.balance(asset, payer.address))).toBe(42_500_000n)
})

test('behavior: a wallet on the wrong network switches or adds it; an insufficient balance is reported before signing', async () => {
  const context = await browser.context(phone)
  const { wallet } = await inject(context, { name: 'Alpha', chainId: 1, knows: [1] })
  const privateKey = keccak256(toHex('a purse with nothing in it'))
  const { wallet: poor } = await inject(context, { name: 'Poor', privateKey })
  const page = await context.newPage()
  await toWallets(page, (await shop.order({}, { currency: { chain_id: 8453, address: shop.token(8453, 'USDC') } })).hosted_url)
  await page.getByRole('button', { name: /Poor/ }).click()
  await page.getByText('This account holds 0.00 USDC on Base').waitFor()
  expect(await page.getByRole('button', { name: /^Sign/ }).count()).toBe(0)
  expect(signatures(poor)).toBe(0)
  await page.getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByRole('button', { name: 'Switch to Base' }).click()
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await receipt(page)
  expect(wallet.requests).toContain('wallet_addEthereumChain')
})

test('behavior: a wallet that does not reply is awaited, and after twenty seconds the page says so', async () => {
  const context = await browser.context(phone)
  const { wallet } = await inject(context, { name: 'Alpha' })
  const page = await context.newPage()
  await page.clock.install()
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Alpha/ }).click()
  await review(page)
  wallet.behavior = 'silent'
  const before = await page.evaluate(() => Date.now())
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await page.getByText('Waiting for Alpha').waitFor()
  await until(() => signatures(wallet) === 1)
  const slow = page.getByText('Nothing has come back yet. Open Alpha')
  // The clock stands at less than twenty seconds after the request, however long the test took to get here.
  await page.clock.pauseAt(before + 19_500)
  expect(await slow.isVisible()).toBe(false)
  await page.clock.resume()
  await page.clock.fastForward(20_000)
  await slow.waitFor()
  // It is still the same request, so no wallet prompt repeats and the payer may leave.
  expect(signatures(wallet)).toBe(1)
  await page.getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('heading', { name: 'Choose your wallet' }).waitFor()
})

test('behavior: wallets show their own icons; an invalid or huge image is replaced by a letter', async () => {
  const context = await browser.context(phone)
  const svg = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"%3E%3Crect width="1" height="1"/%3E%3C/svg%3E'
  await inject(context, { name: 'Drawn', icon: svg })
  await inject(context, { name: 'Page', icon: 'data:text/html,<script>alert(1)</script>' })
  await inject(context, { name: 'Remote', icon: 'https://tracker.test/icon.png' })
  await inject(context, { name: 'Huge', icon: `data:image/png;base64,${'A'.repeat(70_000)}` })
  const page = await context.newPage()
  const wrong = watch(page, [service.payUrl])
  await toWallets(page, (await shop.order()).hosted_url)
  const pictures = (name: string) => page.getByRole('button', { name: new RegExp(name) }).locator('img')
  await expect.poll(() => pictures('Drawn').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  for (const name of ['Page', 'Remote', 'Huge']) expect(await pictures(name).count()).toBe(0)
  // Icons are data URLs and cause no request.
  expect(wrong.filter((complaint) => !complaint.startsWith('stranger: data:'))).toEqual([])
})

test('behavior: a desk without a wallet shows a code that opens the order on a phone', async () => {
  const context = await browser.context({ viewport: { width: 1280, height: 800 } })
  await context.route('**/test/*wallet.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  const page = await context.newPage()
  const order = await shop.order()
  await toWallets(page, order.hosted_url)
  const code = page.getByRole('img', { name: 'Continue on your phone' })
  await code.locator('image').waitFor()
  expect(await code.getAttribute('data-qr')).toBe(`${order.hosted_url}?method=wallet`)
})

test('behavior: a desk with a wallet has that code behind a fold, for whoever has another on a phone', async () => {
  const context = await browser.context({ viewport: { width: 1280, height: 800 } })
  await inject(context, { name: 'Alpha' })
  const page = await context.newPage()
  const order = await shop.order()
  await toWallets(page, order.hosted_url)
  const code = page.getByRole('img', { name: 'Continue on your phone' })
  expect(await code.isVisible()).toBe(false)
  await page.getByText('Continue on your phone', { exact: true }).click()
  await code.locator('image').waitFor()
  expect(await code.getAttribute('data-qr')).toBe(`${order.hosted_url}?method=wallet`)
})

test('behavior: a legacy injected wallet pays, and a browser without a wallet offers the address', async () => {
  const context = await browser.context(phone)
  await context.route('**/test/*wallet.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  const bare = await context.newPage()
  await toWallets(bare, (await shop.order()).hosted_url)
  await bare.getByText('No wallet was found in this browser.').waitFor()
  await bare.getByRole('button', { name: /Send to an address/ }).click()
  await until(() => new URL(bare.url()).searchParams.get('method') === 'address')
  const { wallet } = await inject(context, { name: 'Old', old: true })
  const page = await context.newPage()
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /MetaMask/ }).click()
  await page.getByRole('button', { name: 'Sign in MetaMask' }).click()
  await receipt(page)
  expect(signatures(wallet)).toBe(1)
})

test('behavior: on a phone without a wallet, each app opens this very page by a plain link', async () => {
  const context = await browser.context({ ...phone, hasTouch: true, isMobile: true })
  await context.route('**/test/*wallet.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  const page = await context.newPage()
  const order = await shop.order()
  await toWallets(page, order.hosted_url)
  await page.locator('main li a').first().waitFor()
  const hrefs = await page.locator('main li a').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
  expect(hrefs).toHaveLength(6)
  for (const href of hrefs) expect(decodeURIComponent(decodeURIComponent(href))).toContain(`/pay/${order.id}?method=wallet`)
})

test('behavior: two tabs, a double click, a reload and a lost answer: one wallet request, one debit', async () => {
  const context = await browser.context(phone)
  const { wallet, payer } = await inject(context, { name: 'Alpha' })
  const order = await shop.order()
  const asset = order.fulfillment.asset.address
  const before = await payer.balance(asset, payer.address)
  const [first, second] = [await context.newPage(), await context.newPage()]
  for (const page of [first, second]) {
    await toWallets(page, order.hosted_url)
    await page.getByRole('button', { name: /Alpha/ }).click()
    await review(page)
  }
  // The service receives the request, but its answer is lost.
  let lost = 0
  await first.route('**/x402/complete', async (route) => {
    if (route.request().headers()['payment-signature'] === undefined || lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort()
  })
  let answer = () => {}
  wallet.behavior = { after: new Promise<void>((resolve) => (answer = resolve)) }
  await first.getByRole('button', { name: 'Sign in Alpha' }).dblclick()
  await second.getByRole('button', { name: 'Sign in Alpha' }).click()
  await second.getByRole('heading', { name: 'You’re paying in another tab' }).waitFor()
  answer()
  await until(() => lost > 0).catch(async (error: unknown) => {
    throw new Error(`${String(error)} ${await first.locator('main').textContent()} ${wallet.requests.join()}`)
  })
  await first.reload()
  await receipt(first)
  await receipt(second)
  expect(signatures(wallet)).toBe(1)
  expect(before - (await payer.balance(asset, payer.address))).toBe(42_500_000n)
})

test('behavior: blocked storage changes nothing', async () => {
  const context = await browser.context(phone)
  const { wallet } = await inject(context, { name: 'Alpha' })
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    }
  })
  const page = await context.newPage()
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByRole('button', { name: 'Sign in Alpha' }).click()
  await receipt(page)
  expect(signatures(wallet)).toBe(1)
})

test('behavior: a connected wallet sends the rest of a partly paid order', async () => {
  const context = await browser.context(phone)
  const { wallet, payer } = await inject(context, { name: 'Alpha' })
  const { order, to, asset } = await shop.instructed()
  const other = shop.payer(8453)
  await other.pay(asset, to, 20_000_000n)
  const page = await context.newPage()
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('heading', { name: /Send the remaining 22\.50 USDC on Base/ }).waitFor()
  const before = await payer.balance(asset, payer.address)
  await page.getByRole('button', { name: 'Pay the rest from a wallet' }).click()
  await until(() => page.evaluate(() => document.activeElement?.textContent === 'Choose your wallet'))
  expect(await page.locator('h1').allTextContents()).toEqual(['Choose your wallet'])
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByRole('heading', { name: 'Check, then send' }).waitFor()
  await page.getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('heading', { name: 'Choose your wallet' }).waitFor()
  await page.goBack()
  const rest = page.getByRole('button', { name: 'Pay the rest from a wallet' })
  await until(() => rest.evaluate((button) => button === document.activeElement))
  await rest.click()
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByText(/^About \$0\.\d+$/).waitFor()
  expect(await page.locator('h1').allTextContents()).toEqual(['Check, then send'])
  expect((await page.locator('main').textContent())?.replaceAll(' ', '')).toContain(to)
  await page.getByRole('button', { name: 'Send in Alpha' }).click()
  await receipt(page)
  expect(wallet.requests.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
  expect(before - (await payer.balance(asset, payer.address))).toBe(22_500_000n)
})
