import { address, createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { solanaChainId } from '../../local/solana/start-local-solana.ts'
import type { Order } from '../../src/wire/order.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { openShop, type Shop, watch } from '../support/service/checkout.ts'
import { type Service, startService } from '../support/service/service.ts'
import { toWallets } from '../support/wallets/injected-wallets.ts'
import { solanaWallets } from '../support/wallets/solana-wallet.ts'
import { type InjectedStandardWallet, injectStandardWallet } from '../support/wallets/standard-wallet.ts'

/** Wallets of Solana that register themselves by the Wallet Standard, from the list of wallets to the receipt, on the local runtime. */

let service: Service
let shop: Shop
let secrets: readonly string[]
let [rpcUrl, wsUrl, usdc] = ['', '', '']
const browser = useBrowser()

beforeAll(async () => useService(await startService()))
afterAll(() => service?.close())

async function useService(started: Service) {
  service = started
  shop = await openShop(service)
  const fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as {
    wallets: { family: string; secret: string }[]
    chains: { chain_id: number; rpc_url: string; ws_url: string; tokens: { symbol: string; address: string | null }[] }[]
  }
  secrets = fixtures.wallets.filter(({ family }) => family === 'solana').map(({ secret }) => secret)
  const chain = fixtures.chains.find(({ chain_id }) => chain_id === solanaChainId)!
  ;[rpcUrl, wsUrl] = [chain.rpc_url, chain.ws_url]
  usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address!
}

const phone = { viewport: { width: 390, height: 844 } }
const receipt = (page: Page) => page.getByRole('region', { name: 'Receipt' }).waitFor()
const review = (page: Page) => page.getByRole('heading', { name: 'Check, then sign' }).waitFor()

async function opened(order: Order, place = 0): Promise<{ page: Page; wallet: InjectedStandardWallet; wrong: readonly string[] }> {
  const context = await browser.context(phone)
  const wallet = await injectStandardWallet(context, { name: 'Aurora', secret: secrets[place]!, rpcUrl })
  const page = await context.newPage()
  const wrong = watch(page, [service.payUrl])
  await toWallets(page, order.hosted_url)
  return { page, wallet, wrong }
}

test('default: one tap after connecting pays in USDC on Solana, and the receipt appears', async () => {
  const order = await shop.order()
  const { page, wallet, wrong } = await opened(order)
  await page.getByRole('button', { name: /Aurora.*Solana/ }).click()
  await review(page)
  const main = page.locator('main')
  await expect.poll(() => main.textContent()).toContain('42.50 USDC on Solana')
  expect(await main.textContent()).toContain(wallet.address)
  expect(await main.textContent()).toContain('Network feeFree')
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await receipt(page)
  expect(wallet.asked.length).toBe(1)
  expect((await shop.read(order.id)).payment?.funding).toMatchObject({
    received_amount: { ui: '42.5' },
    transactions: [{ chain_id: solanaChainId, state: 'applied' }],
  })
  expect(wrong).toEqual([])
})

test('default: another tap changes to SOL, and pays in it', async () => {
  const order = await shop.order()
  const { page, wrong } = await opened(order)
  await page.getByRole('button', { name: /Aurora/ }).click()
  await review(page)
  await page.getByRole('button', { name: 'Change: SOL on Solana' }).click()
  await expect.poll(() => page.locator('main').textContent()).toMatch(/0\.28\d+ SOL on Solana/)
  await page.getByText(/About 0\.000005\d+ SOL on Solana \(\$0\.01\)/).waitFor()
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await receipt(page)
  expect((await shop.read(order.id)).payment?.input?.currency).toMatchObject({ chain_id: solanaChainId, symbol: 'SOL' })
  expect(wrong).toEqual([])
})

test('default: the rest of an order that is partly paid is sent from the screen with its address', async () => {
  const source = { chain_id: solanaChainId, address: usdc }
  const { id, deposit } = await checkout(shop.client, { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' }, { source })
  const payer = await createKeyPairSignerFromBytes(Uint8Array.from(getBase58Encoder().encode(secrets[2]!)))
  await solanaWallets(rpcUrl, wsUrl).payToken(payer, address(usdc), address(deposit), 30_000_000n)
  await untilStatus(shop.client, id, 'PARTIAL_PAYMENT')
  const context = await browser.context(phone)
  const wallet = await injectStandardWallet(context, { name: 'Aurora', secret: secrets[0]!, rpcUrl })
  const page = await context.newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(`${service.payUrl}/pay/${id}`)
  await page.getByRole('button', { name: 'Pay the rest from a wallet' }).click()
  await page.getByRole('button', { name: /Aurora/ }).click()
  const main = page.locator('main')
  await page.getByRole('button', { name: 'Sign in Aurora' }).waitFor()
  expect(await main.textContent()).toMatch(/You pay12\.50? USDC on Solana/)
  expect(await main.textContent()).toMatch(/Network feeAbout 0\.000005\d+ SOL on Solana/)
  expect(await main.textContent()).not.toContain('Opens an account')
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await receipt(page)
  expect(wallet.asked.length).toBe(1)
  expect((await shop.read(id)).payment?.funding).toMatchObject({ received_amount: { ui: '42.5' } })
  expect(wrong).toEqual([])
})

test('default: the test wallet of local mode pays', async () => {
  const page = await (await browser.context()).newPage()
  const wrong = watch(page, [service.payUrl])
  await toWallets(page, (await shop.order()).hosted_url)
  await page.getByRole('button', { name: /Solana test wallet/ }).click()
  await page.getByRole('button', { name: 'Sign in Solana test wallet' }).click()
  await receipt(page)
  expect(wrong, JSON.stringify(wrong)).toEqual([])
})

test('behavior: declined and locked are said in plain words, and the next attempt pays', async () => {
  const { page, wallet } = await opened(await shop.order(), 1)
  wallet.behavior = 'locked'
  await page.getByRole('button', { name: /Aurora/ }).click()
  await page.getByText('is locked, or shows this page no account').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: 'Check again' }).click()
  await review(page)
  wallet.behavior = 'rejecting'
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await page.getByText('The request was closed in Aurora. Nothing was paid').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: 'Try again' }).click()
  await receipt(page)
})

test('error: a transaction that pays somebody else never reaches the wallet', async () => {
  const order = await shop.order()
  const { page, wallet } = await opened(order, 1)
  const thief = await shop.order()
  await shop.client.ask('requestPayment', {
    params: { order_id: thief.id },
    body: { source: { currency: { chain_id: solanaChainId, address: null }, payment_rail: 'CRYPTO' } },
  })
  await page.route('**/solana/transaction', (route) => route.continue({ url: route.request().url().replace(order.id, thief.id) }))
  await page.getByRole('button', { name: /Aurora/ }).click()
  await review(page)
  await page.getByRole('button', { name: 'Change: SOL on Solana' }).click()
  await expect.poll(() => page.locator('main').textContent()).toMatch(/0\.28\d+ SOL on Solana/)
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await page.getByRole('heading', { name: 'This order can’t be paid here' }).waitFor()
  expect(wallet.asked).toEqual([])
})

test('behavior: a second tab, a reload and a slow wallet pay once', async () => {
  await service.close()
  // Slots are as long as the network's own, so the transaction does not expire while the payer goes from one tab to the other.
  await useService(await startService({ env: { TILL_BLOCK_MS: '4000' } }))
  const order = await shop.order()
  const { page, wallet } = await opened(order, 1)
  await page.getByRole('button', { name: /Aurora/ }).click()
  await review(page)
  await page.getByRole('button', { name: 'Change: SOL on Solana' }).click()
  await expect.poll(() => page.locator('main').textContent()).toMatch(/0\.28\d+ SOL on Solana/)
  let answer = () => {}
  wallet.behavior = { after: new Promise<void>((resolve) => (answer = resolve)) }
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await page.getByText('Waiting for Aurora').waitFor()
  const second = await page.context().newPage()
  await second.goto(`${order.hosted_url}?method=wallet`)
  await second.getByRole('button', { name: /Aurora/ }).click()
  await second.getByRole('button', { name: 'Sign in Aurora' }).click()
  await second.getByRole('heading', { name: 'You’re paying in another tab' }).waitFor()
  // The wallet still shows the request of a page that was reloaded, and answers both.
  await page.reload()
  await page.getByRole('button', { name: /Aurora/ }).click()
  await review(page)
  await page.getByRole('button', { name: 'Sign in Aurora' }).click()
  await expect.poll(() => wallet.asked.length).toBe(2)
  answer()
  await receipt(page)
  expect(new Set(wallet.asked).size).toBe(1)
  expect((await shop.read(order.id)).payment?.funding?.transactions.length).toBe(1)
})
