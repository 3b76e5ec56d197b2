import fc from 'fast-check'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openShop } from '../support/service/checkout.ts'
import { full, seed } from '../support/full.ts'
import { createPayer, type Payer } from '../support/wallets/payer.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { injectWallet, type Injected } from '../support/wallets/injected-wallets.ts'
import { freePort } from '../support/service/free-port.ts'

/**
 * A payer with two tabs and an unreliable wallet and network, in a real browser, against a real service that gets killed. In the end the
 * order is paid and the balance was debited once.
 */

/** How the network treats a tab's payment calls. */
type NetworkFault = 'fine' | 'lost answer' | '5xx' | 'never arrives'

const tab = fc.nat(1)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('forward' as const), tab, twice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reload' as const), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('network' as const),
      tab,
      is: fc.constantFrom<NetworkFault>('fine', 'lost answer', '5xx', 'never arrives'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fresh' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wallet' as const), slow: fc.boolean() }) },
  // These delays hit the arrival of a signature, the enqueueing of its transaction, and the time after its broadcast.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), afterMs: fc.constantFrom(0, 15, 60, 200, 600) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let first: Service
let service: Service
let env: { PORT: string }
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  env = { PORT: String(await freePort()) }
  first = service = await startService({ env })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
  // The first process created the data folder, so it removes it.
  await first?.close()
})

test(
  'behavior: explored: two tabs, double clicks, reloads, time-outs, fresh offers, 5xx and kill -9: the balance is debited once',
  { timeout: full ? 1_500_000 : 400_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
        const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
        try {
          await play(context, steps)
        } finally {
          await context.close()
        }
      }),
      { numRuns: full ? 30 : 6, endOnFailure: true, seed },
    )
  },
)

async function play(context: BrowserContext, steps: readonly Step[]): Promise<void> {
  const shop = await openShop(service)
  const order = await shop.order()
  const asset = order.fulfillment.asset.address
  const { wallet, payer } = await takeWallet(context)
  const before = await payer.balance(asset, payer.address)
  const tabs = [await openTab(context, order.hosted_url), await openTab(context, order.hosted_url)] as const
  let killing: Promise<void> | undefined
  let isUp = true
  for (const step of steps) {
    switch (step.do) {
      case 'forward':
        await forward(tabs[step.tab]!.page, step.twice)
        break
      case 'reload':
        await tabs[step.tab]!.page.reload({ waitUntil: 'commit' }).catch(() => undefined)
        break
      case 'network':
        tabs[step.tab]!.network = step.is
        break
      case 'fresh':
        await press(tabs[step.tab]!.page, 'Other wallets')
        break
      case 'wallet':
        wallet.behavior = step.slow ? { slowMs: 400 } : 'willing'
        break
      case 'kill':
        killing ??= (async () => {
          isUp = false
          await signatureOn(tabs.map(({ page }) => page))
          await new Promise((resolve) => setTimeout(resolve, step.afterMs))
          await killAndRestart()
          isUp = true
        })()
        break
      default:
        step satisfies never
    }
  }
  for (const each of tabs) each.network = 'fine'
  wallet.behavior = 'willing'
  for (const { page } of tabs) {
    let idleLooks = 0
    const isPaid = async (): Promise<boolean> => {
      if (await page.getByRole('region', { name: 'Receipt' }).isVisible()) return true
      if (page.url().startsWith('chrome-error')) await page.goto(order.hosted_url).catch(() => undefined)
      // The service was killed while it sent the page's script, and a payer reloads a page that does nothing.
      idleLooks =
        (await page
          .locator('#till[data-ready]')
          .count()
          .catch(() => 0)) > 0
          ? 0
          : idleLooks + 1
      if (idleLooks > 50) await page.reload({ waitUntil: 'commit' }).catch(() => undefined)
      await forward(page, false)
      return false
    }
    // The payer clicks on while a killed service starts again. On a busy machine that takes most of a minute, which is not the payment's.
    await until(async () => (await isPaid()) || isUp, { timeout: 180_000, every: 200, what: 'a killed service is back' })
    await until(isPaid, { timeout: 60_000, every: 200, what: `the receipt, after ${JSON.stringify(steps)}` }).catch(
      async (error: unknown) => {
        const shown = await page.locator('body').innerText({ timeout: 1_000 }).catch(String)
        const now = await shop.read(order.id).then(({ status }) => status, String)
        throw new Error(
          `${String(error)}: ${page.url()} shows:\n${shown}\nThe order is ${now}. The service said:\n${service.output().slice(-4_000)}`,
        )
      },
    )
  }
  await killing
  expect(before - (await (await takePayer(payer)).balance(asset, payer.address))).toBe(42_500_000n)
}

async function openTab(context: BrowserContext, url: string): Promise<{ readonly page: Page; network: NetworkFault }> {
  const page = await context.newPage()
  const opened = { page, network: 'fine' as NetworkFault }
  await page.route('**/x402/complete', async (route) => {
    const { network } = opened
    if (network === 'fine' || route.request().headers()['payment-signature'] === undefined) return route.continue().catch(() => undefined)
    if (network !== 'never arrives') await route.fetch().catch(() => undefined)
    return (network === '5xx' ? route.fulfill({ status: 503, json: { message: 'Down.' } }) : route.abort()).catch(() => undefined)
  })
  await page.goto(url)
  await page.waitForSelector('#till[data-ready]')
  return opened
}

/** Clicks whatever control continues from here. */
async function forward(page: Page, twice: boolean): Promise<void> {
  for (const name of [/^Sign in Alpha/, /^Try again/, /^Check again/, /^A? ?Alpha/, /^W? ?Wallet/])
    if (await press(page, name, twice)) return
}

async function press(page: Page, name: string | RegExp, twice = false): Promise<boolean> {
  const control = page.getByRole('button', { name }).or(page.getByRole('link', { name })).first()
  if (!(await control.isVisible().catch(() => false))) return false
  const options = { timeout: 1_000, noWaitAfter: true }
  await (twice ? control.dblclick(options) : control.click(options)).catch(() => undefined)
  return true
}

const signatureOn = (pages: readonly Page[]): Promise<unknown> =>
  Promise.race([
    // If no tab signs, the kill happens without a signature in flight.
    new Promise((resolve) => setTimeout(resolve, 4_000)),
    ...pages.map((page) =>
      page.waitForRequest((request) => request.headers()['payment-signature'] !== undefined, { timeout: 0 }).catch(() => undefined),
    ),
  ])

async function killAndRestart(): Promise<void> {
  await service.kill9()
  service = await startService({ env, dataFolder: service.dataFolder })
}

interface Fixtures {
  readonly accounts: readonly { readonly private_key: string }[]
  readonly chains: readonly { readonly chain_id: number; readonly rpc_url: string }[]
}

/** The chains' ports change with each restart. */
async function fixtures(): Promise<{ rpcUrl: string; keys: string[] }> {
  const { accounts, chains } = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
  return { rpcUrl: chains.find(({ chain_id }) => chain_id === 8453)!.rpc_url, keys: accounts.map(({ private_key }) => private_key) }
}

let used = 0
async function takeWallet(context: BrowserContext): Promise<{ wallet: Injected; payer: Payer & { key: string } }> {
  const { rpcUrl, keys } = await fixtures()
  const key = keys[1 + (used++ % 7)]!
  const wallet = await injectWallet(context, { name: 'Alpha', privateKey: key, rpcUrl })
  return { wallet, payer: { ...createPayer(rpcUrl, key), key } }
}
const takePayer = async ({ key }: { key: string }): Promise<Payer> => createPayer((await fixtures()).rpcUrl, key)
