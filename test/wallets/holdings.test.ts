import type { BrowserContext, Page } from 'playwright-core'
import { type Hex, createPublicClient, createWalletClient, http, parseEther, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import type { Order } from '../../src/wire/order.ts'
import { violations } from '../support/browser/axe.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { full } from '../support/full.ts'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { injectWallet, type Injected, type InjectedOptions, signatures, toWallets, transfers } from '../support/wallets/injected-wallets.ts'

/** A wallet pays with what it holds: from the list of wallets to the receipt, with a reload, a second tab or a refusal in between. */

let service: Service
let shop: Shop
let nodes: Readonly<Record<number, string>>
const browser = useBrowser()

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
  const { chains } = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as { chains: { chain_id: number; rpc_url: string }[] }
  nodes = Object.fromEntries(chains.map(({ chain_id, rpc_url }) => [chain_id, rpc_url]))
})
afterAll(() => service?.close())

type Symbol = 'USDC' | 'USDT' | 'ETH' | 'WETH'
const [base, ethereum] = [8453, 1]

interface Purse {
  /** What the account holds, in whole units, by chain. Where it pays the network it also gets a little coin. */
  readonly holds: Readonly<Record<number, Partial<Record<Symbol, string>>>>
  readonly isContract?: boolean
  /** The account has a key and code that accepts its signatures (EIP-7702). */
  readonly isDelegated?: boolean
  readonly wallet?: Partial<InjectedOptions>
}

async function open(purse: Purse): Promise<{ context: BrowserContext; wallet: Injected; account: string }> {
  const privateKey = generatePrivateKey()
  const owner = privateKeyToAccount(privateKey).address
  const account = purse.isContract ? await deploy(privateKey) : owner
  if (purse.isDelegated) {
    const reader = createPublicClient({ transport: http(nodes[base]) })
    const code = await reader.getCode({ address: (await deploy(privateKey)) as Hex })
    await reader.request({ method: 'anvil_setCode', params: [owner, code] } as never)
  }
  for (const [chainId, amounts] of Object.entries(purse.holds)) {
    const payer = shop.payer(Number(chainId))
    for (const [symbol, amount] of Object.entries(amounts) as [Symbol, string][])
      await payer.pay(shop.token(Number(chainId), symbol), account, parseUnits(amount, symbol.endsWith('ETH') ? 18 : 6))
  }
  const context = await browser.context({ viewport: { width: 390, height: 844 } })
  const wallet = await injectWallet(context, {
    name: 'Alpha',
    privateKey,
    rpcUrl: nodes[base]!,
    rpcUrls: nodes,
    ...(purse.isContract && { contract: account }),
    ...purse.wallet,
  })
  return { context, wallet, account }
}

async function deploy(privateKey: Hex): Promise<string> {
  const account = privateKeyToAccount(privateKey)
  await shop.payer(base).pay(null, account.address, parseEther('0.1'))
  const client = createWalletClient({ account, transport: http(nodes[base]) })
  const hash = await client.deployContract({ abi: TestSender.abi, bytecode: TestSender.bytecode, args: [account.address], chain: null })
  const reader = createPublicClient({ transport: http(nodes[base]), pollingInterval: 20, cacheTime: 0 })
  const receipt = await until(() => reader.getTransactionReceipt({ hash }))
  return receipt.contractAddress!
}

/** A case is what the wallet holds, and what the payer taps after the wallet has connected. */
interface Case extends Purse {
  readonly pays: { readonly symbol: Symbol; readonly chainId: number; readonly by: 'transfer' | 'signature' }
  readonly taps: readonly string[]
}

const cases: Readonly<Record<string, Case>> = {
  'only USDT': {
    holds: { [base]: { USDT: '60', ETH: '0.01' } },
    pays: { symbol: 'USDT', chainId: base, by: 'transfer' },
    taps: ['Send in Alpha'],
  },
  'only ETH': {
    holds: { [base]: { ETH: '0.5' } },
    pays: { symbol: 'ETH', chainId: base, by: 'transfer' },
    taps: ['Send in Alpha'],
  },
  'only WETH on the other chain': {
    holds: { [ethereum]: { WETH: '0.5', ETH: '0.001' } },
    pays: { symbol: 'WETH', chainId: ethereum, by: 'transfer' },
    taps: ['Switch to Ethereum', 'Send in Alpha'],
  },
  'USDC in a contract account': {
    holds: { [base]: { USDC: '60' } },
    isContract: true,
    pays: { symbol: 'USDC', chainId: base, by: 'signature' },
    taps: ['Sign in Alpha'],
  },
  'USDC in an account with a key and code': {
    holds: { [base]: { USDC: '60' } },
    isDelegated: true,
    pays: { symbol: 'USDC', chainId: base, by: 'signature' },
    taps: ['Sign in Alpha'],
  },
  'USDC, on the wrong network': {
    holds: { [base]: { USDC: '60' } },
    wallet: { chainId: 137 },
    pays: { symbol: 'USDC', chainId: base, by: 'signature' },
    taps: ['Switch to Base', 'Sign in Alpha'],
  },
}

const receipt = (page: Page) => page.getByRole('region', { name: 'Receipt' }).waitFor()
async function connect(page: Page, order: Order): Promise<void> {
  await toWallets(page, order.hosted_url)
  await page.getByRole('button', { name: /Alpha/ }).click()
}
const tap = (page: Page, name: string) => page.getByRole('button', { name }).click()
const requests = (wallet: Injected) => signatures(wallet) + transfers(wallet)

/** The recipient has what the order was about, and the account gave what the order asked for, once. */
async function expectPaid({ id }: Order, { pays: { symbol, chainId } }: Case, account: string, before: bigint, held: bigint) {
  const order = await shop.read(id)
  expect(order.status).toBe('COMPLETED')
  const { input, funding } = order.payment!
  expect(input!.currency).toMatchObject({ symbol, chain_id: chainId })
  expect(funding!.transactions.map(({ amount }) => amount.raw)).toEqual([input!.amount.raw])
  const payer = shop.payer(chainId)
  if (symbol !== 'ETH') expect(before - (await payer.balance(shop.token(chainId, symbol), account))).toBe(BigInt(input!.amount.raw))
  const got = (await payer.balance(shop.token(chainId, 'USDC'), order.fulfillment.recipient)) - held
  if (symbol === 'USDC') expect(got).toBe(42_500_000n)
  else expect(got).toBeGreaterThanOrEqual(42_500_000n)
}

async function play(name: string, act: (page: Page, order: Order, wallet: Injected, of: Case) => Promise<Page | void>): Promise<void> {
  const of = cases[name]!
  const { context, wallet, account } = await open(of)
  const { symbol, chainId } = of.pays
  const payer = shop.payer(chainId)
  const order = await shop.order()
  const before = await payer.balance(shop.token(chainId, symbol), account)
  const held = await payer.balance(shop.token(chainId, 'USDC'), order.fulfillment.recipient)
  const page = await context.newPage()
  await connect(page, order)
  await receipt((await act(page, order, wallet, of)) ?? page)
  await expectPaid(order, of, account, before, held)
}

async function tapAll(page: Page, of: Case): Promise<void> {
  for (const name of of.taps) await tap(page, name)
}

/** These are played at every run, and all pairs in the full one. */
const short = new Set([
  'only USDT, a reload while the wallet asks',
  'only ETH, a second tab while the wallet asks',
  'only WETH on the other chain, a refusal',
])

/** The others pay below, after something has come in between. */
const undisturbed = Object.keys(cases).filter((name) => full || ![...short].some((each) => each.startsWith(name)))

test.each(undisturbed)('default: %s pays in at most two taps, with nothing copied', async (name) => {
  await play(name, async (page, _, wallet, of) => {
    expect(of.taps.length).toBeLessThanOrEqual(2)
    await tapAll(page, of)
    await receipt(page)
    expect(requests(wallet)).toBe(1)
  })
})

/** The wallet asks, and does not answer before the returned function is called. */
function hold(wallet: Injected): () => void {
  let answer = () => {}
  wallet.behavior = { after: new Promise<void>((resolve) => (answer = resolve)) }
  return () => {
    wallet.behavior = 'willing'
    answer()
  }
}

const asked = (wallet: Injected, count = 1) => until(() => requests(wallet) === count, { what: `${count} requests of the wallet` })

const disturbances: Readonly<Record<string, (page: Page, order: Order, wallet: Injected, of: Case) => Promise<Page | void>>> = {
  'a reload while the wallet asks': async (page, _, wallet, of) => {
    const answer = hold(wallet)
    await tapAll(page, of)
    await asked(wallet)
    await page.reload()
    if (of.pays.by === 'signature') {
      // A signature that nobody awaits pays nothing, so the wallet is asked again, with the same nonce.
      await page.getByRole('button', { name: /Alpha/ }).click()
      answer()
      return tap(page, 'Sign in Alpha')
    }
    await page.getByRole('heading', { name: 'Check Alpha' }).waitFor()
    answer()
    await receipt(page)
    expect(transfers(wallet)).toBe(1)
  },
  'a second tab while the wallet asks': async (page, order, wallet, of) => {
    const answer = hold(wallet)
    await tapAll(page, of)
    await asked(wallet)
    const second = await page.context().newPage()
    if (of.pays.by === 'signature') {
      wallet.behavior = 'willing'
      await connect(second, order)
      await tap(second, 'Sign in Alpha')
      await second.getByRole('heading', { name: 'You’re paying in another tab' }).waitFor()
    } else {
      await second.goto(`${order.hosted_url}?method=wallet`)
      await second.getByRole('heading', { name: 'Check Alpha' }).waitFor()
    }
    answer()
    await receipt(second)
    expect(requests(wallet)).toBe(1)
  },
  'a refusal': async (page, _, wallet, of) => {
    for (const name of of.taps.slice(0, -1)) await tap(page, name)
    const last = of.taps.at(-1)!
    const button = page.getByRole('button', { name: last })
    await button.waitFor()
    wallet.behavior = 'rejecting'
    await button.click()
    await page.getByText('The request was closed in Alpha. Nothing was paid, and everything is still here.').waitFor()
    wallet.behavior = 'willing'
    await tap(page, of.pays.by === 'signature' ? 'Try again' : last)
    await receipt(page)
    expect(requests(wallet)).toBe(2)
  },
}

const disturbed = Object.keys(cases).flatMap((name) => Object.keys(disturbances).map((what) => [name, what] as const))

test.each(disturbed.filter(([name, what]) => full || short.has(`${name}, ${what}`)))('behavior: %s, %s: paid once', async (name, what) => {
  await play(name, disturbances[what]!)
})

test('behavior: what is not enough says what is missing, and no wallet is asked', async () => {
  const { context, wallet } = await open({ holds: { [base]: { USDC: '10', USDT: '5', ETH: '0.0001' } } })
  const page = await context.newPage()
  await connect(page, await shop.order())
  await page.getByText('This account holds 10.00 USDC on Base').waitFor()
  const row = page.getByRole('button', { name: /USDT/ })
  expect(await row.textContent()).toMatch(/3[78]\.\d+ USDT missing.*You have 5\.00/)
  expect(await row.getAttribute('aria-disabled')).toBe('true')
  await row.click({ force: true })
  expect(await page.getByRole('button', { name: /^(Send|Sign) in/ }).count()).toBe(0)
  expect(requests(wallet)).toBe(0)
})

test('behavior: a locked wallet is named, and can pay once it is unlocked', async () => {
  const { context, wallet } = await open(cases['only USDT']!)
  const page = await context.newPage()
  wallet.behavior = 'locked'
  await connect(page, await shop.order())
  await page.getByText('is locked, or shows this page no account').waitFor()
  wallet.behavior = 'willing'
  await page.getByRole('button', { name: /Alpha/ }).click()
  await page.getByRole('button', { name: 'Send in Alpha' }).waitFor()
  expect(transfers(wallet)).toBe(0)
})

test('behavior: several are listed with what they cost, the best first, and the choice of one is reviewed before the wallet is asked', async () => {
  const { context, wallet, account } = await open({
    holds: { [base]: { USDC: '60', USDT: '60', ETH: '0.01' }, [ethereum]: { USDT: '60' } },
  })
  const page = await context.newPage()
  const order = await shop.order()
  await connect(page, order)
  await page.getByRole('heading', { name: 'Check, then sign' }).waitFor()
  await page.getByRole('heading', { name: 'Other ways to pay from this wallet' }).waitFor()
  const rows = page.locator('main section li')
  const texts = await rows.allTextContents()
  expect(texts).toHaveLength(3)
  expect(texts[0]).toMatch(/USDT on Base≈ \$4\d\.\d\d.*4\d\.\d\d USDTYou have 60\.00 USDT$/)
  // There is no coin on Ethereum that would pay its network.
  expect(texts.find((text) => text.includes('Ethereum'))).toMatch(/USDT.*No ETH for the network fee/)
  expect(await violations(page)).toEqual([])
  await rows.first().getByRole('button').click()
  await page.getByRole('heading', { name: 'Check, then send' }).waitFor()
  const review = await page.locator('main').textContent()
  expect(review).toMatch(/You pay4\d\.\d+ USDT on Base.*Network feeAbout \$0\.\d\d.*To Northwind Coffee, at0x/)
  expect(requests(wallet)).toBe(0)
  await tap(page, 'Send in Alpha')
  await receipt(page)
  expect(wallet.requests.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
  expect(signatures(wallet)).toBe(0)
  const { payment } = await shop.read(order.id)
  const left = 60_000_000n - BigInt(payment!.input!.amount.raw)
  expect(await shop.payer(base).balance(shop.token(base, 'USDT'), account)).toBe(left)
})

/** Without a nonce or an id of ours both would be sent. */
test.each(['transactions', 'batches'])(
  'behavior: of two %s, before and after a reload, the payer confirms both and one pays',
  async (kind) => {
    const { context, wallet, account } = await open({ ...cases['only USDT']!, wallet: { batches: kind === 'batches' } })
    const page = await context.newPage()
    const order = await shop.order()
    await connect(page, order)
    const confirmFirst = hold(wallet)
    await tap(page, 'Send in Alpha')
    await asked(wallet)
    await page.reload()
    await tap(page, 'It was declined or has failed')
    wallet.behavior = 'willing'
    await page.getByRole('button', { name: /Alpha/ }).click()
    await tap(page, 'Send in Alpha')
    await asked(wallet, 2)
    confirmFirst()
    await receipt(page)
    expect(wallet.requests.filter((method) => method === 'wallet_sendCalls')).toHaveLength(kind === 'batches' ? 2 : 0)
    const { payment } = await shop.read(order.id)
    const left = 60_000_000n - BigInt(payment!.input!.amount.raw)
    expect(await shop.payer(base).balance(shop.token(base, 'USDT'), account)).toBe(left)
  },
)
