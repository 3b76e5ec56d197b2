import { execFile } from 'node:child_process'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bitcoinChainId } from '../../local/bitcoin/start-local-bitcoin.ts'
import { PlayEvent } from '../../local/scenarios/play.ts'
import { orderFor, type Scenario } from '../../local/scenarios/scenario.ts'
import { scenarios } from '../../local/scenarios/table.ts'
import type { Order } from '../../src/wire/order.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openShop, ready, type Shop, watch } from '../support/service/checkout.ts'
import { full } from '../support/full.ts'
import { root } from '../support/root.ts'
import { startService, type Service } from '../support/service/service.ts'
import { startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/**
 * Plays every scenario as a payer sees it by opening its page with `?simulate=`, and checks the final state of service and page. They play side by
 * side, eight at a time.
 */

let service: Service
let shop: Shop
let browser: Browser

interface Watched {
  readonly page: Page
  readonly id: string
  readonly wrong: readonly string[]
  readonly closed: () => number
}
const watched = new Map<string, Promise<Watched>>()

async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(60_000)
  return context.newPage()
}
/** Runs in the page and collects every text that its main element showed. */
function remember() {
  const shownTexts = new Set<string>()
  Object.assign(globalThis, { shownTexts })
  new MutationObserver(() => {
    const main = document.querySelector('main')
    if (main) shownTexts.add(main.innerText)
  }).observe(document, { subtree: true, childList: true, characterData: true })
}
const shownTexts = (page: Page) => page.evaluate(() => [...(globalThis as unknown as { shownTexts: Set<string> }).shownTexts].join('\n'))

/** The full run plays every scenario, and a short run those that exercise page, chain and socket the most. */
const everyDay: ReadonlySet<string> = new Set(['underpay', 'reorg', 'socket-drop', 'steal', 'replaced'])
const played = scenarios.filter(({ name }) => full || everyDay.has(name))

/** These scenarios also check intermediate texts, so the page pauses longer between steps. */
const onTheWay: ReadonlySet<string> = new Set(['late', 'reorg', 'slow-confirmations'])

/** More pages at once would only wait for each other. */
const atOnce = 8

/** A price that falls is everybody's, so these are played once the others have ended. */
const lowerPrices: ReadonlySet<string> = new Set(['price-kept', 'price-moved'])

const ended = ({ page }: Pick<Watched, 'page'>) =>
  page.waitForSelector('#scenario[data-at=reached], #scenario[data-at=failed]', { timeout: 380_000 })

async function open(scenario: Scenario): Promise<Watched> {
  const { id, hosted_url: url } = await shop.client.ask('createOrder', { body: orderFor(scenario) })
  const page = await newPage({ viewport: { width: 390, height: 844 } })
  const wrong = watch(page, [service.payUrl])
  let closed = 0
  page.on('websocket', (socket) => socket.on('close', () => closed++))
  await page.addInitScript(remember)
  await page.goto(`${url}?simulate=${scenario.name}&look=${onTheWay.has(scenario.name) ? 4 : 1}`)
  return { page, id, wrong, closed: () => closed }
}

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  shop = await openShop(service)
  const start = (scenario: Scenario, after: Promise<unknown>) => {
    const opened = after.then(() => open(scenario))
    opened.catch(() => undefined)
    watched.set(scenario.name, opened)
    return opened
  }
  const isPriceFalling = ({ name }: Scenario) => lowerPrices.has(name)
  const others: Promise<unknown>[] = []
  for (const scenario of played.filter((each) => !isPriceFalling(each)))
    others.push(start(scenario, Promise.allSettled([others.at(-atOnce)])).then(ended))
  for (const scenario of played.filter(isPriceFalling)) start(scenario, Promise.allSettled(others))
})
afterAll(async () => {
  await Promise.all([browser?.close(), service?.close()])
})

async function receipt(page: Page) {
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
}
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()

/** The state that the service must report for each scenario, and what the page must show. */
const ends: Record<string, { service: object; page: (watched: Watched) => Promise<void> }> = {
  underpay: {
    service: { status: 'PARTIAL_PAYMENT', payment: { funding: { received_amount: { ui: '25.5' }, remaining_amount: { ui: '17' } } } },
    page: async ({ page }) => title(page, 'Send the remaining 17.00 USDC on Base'),
  },
  overpay: {
    service: {
      status: 'COMPLETED',
      payment: { surplus: { ui: '8.5' }, funding: { received_amount: { ui: '51' }, remaining_amount: { ui: '0' } } },
    },
    page: async ({ page }) => {
      await receipt(page)
      await title(page, 'You’ve paid, and 8.50 USDC on Base is still yours')
    },
  },
  late: {
    service: { status: 'COMPLETED', payment: { funding: { received_amount: { ui: '42.5' }, remaining_amount: { ui: '0' } } } },
    page: async ({ page }) => {
      await receipt(page)
      expect(await shownTexts(page)).toContain('Time’s up. We haven’t received a payment.')
    },
  },
  reorg: {
    service: { status: 'COMPLETED', payment: { funding: { received_amount: { ui: '42.5' }, transactions: [{ state: 'applied' }] } } },
    page: async ({ page }) => {
      await receipt(page)
      expect(await shownTexts(page)).toContain('A transfer of 42.50 USDC on Base is no longer on the network.')
    },
  },
  'wrong-chain': {
    service: {
      status: 'AWAITING_PAYMENT',
      payment: { funding: { received_amount: { ui: '0' }, transactions: [{ state: 'held', reason: 'wrong_chain', chain_id: 1 }] } },
    },
    page: async ({ page }) => {
      await text(page, 'Your 42.50 USDC arrived on Ethereum. This order needs Base.')
      await text(page, 'To pay the order, send 42.50 USDC on Base.')
    },
  },
  'wrong-token': {
    service: {
      status: 'AWAITING_PAYMENT',
      payment: { funding: { received_amount: { ui: '0' }, transactions: [{ state: 'held', currency: { symbol: 'USDT' } }] } },
    },
    page: async ({ page }) => {
      await text(page, 'Your 42.50 USDT arrived on Base. This order needs USDC.')
      await text(page, 'To pay the order, send 42.50 USDC on Base.')
    },
  },
  'socket-drop': {
    service: { status: 'COMPLETED', payment: { funding: { received_amount: { ui: '42.5' }, transactions: [{ state: 'applied' }] } } },
    page: async ({ page, closed }) => {
      await receipt(page)
      expect(closed()).toBeGreaterThan(1)
    },
  },
  'slow-confirmations': {
    service: { status: 'COMPLETED', payment: { funding: { received_amount: { ui: '42.5' }, transactions: [{ state: 'applied' }] } } },
    page: async ({ page }) => {
      await receipt(page)
      expect(await shownTexts(page)).toMatch(/[12] of 3 confirmations/)
    },
  },
  'card-declined': {
    service: {
      status: 'AWAITING_PAYMENT',
      payment: {
        payment_rail: 'FIAT',
        funding: { received_amount: { ui: '0' }, remaining_amount: { ui: '42.5' } },
        steps: [{ data: { status: 'requires_payment' } }],
      },
    },
    page: async ({ page }) => text(page, 'This card wasn’t accepted. Try another card, or pay another way.'),
  },
  'price-moved': {
    service: {
      status: 'FAILED',
      payment: { funding: { remaining_amount: { ui: '0' }, transactions: [{ state: 'held', currency: { symbol: 'ETH' } }] } },
    },
    page: async ({ page }) => title(page, /^We’re holding your .* ETH on Base safely$/),
  },
  steal: {
    service: {
      status: 'COMPLETED',
      payment: { funding: { received_amount: { ui: '42.5' }, transactions: [{ state: 'applied' }, { state: 'applied' }] } },
    },
    page: async ({ page }) => receipt(page),
  },
  'pay-bitcoin': {
    service: { status: 'COMPLETED', payment: { funding: { remaining_amount: { ui: '0' }, transactions: [{ state: 'applied' }] } } },
    page: async ({ page }) => receipt(page),
  },
  'pay-solana': {
    service: { status: 'COMPLETED', payment: { funding: { remaining_amount: { ui: '0' }, transactions: [{ state: 'applied' }] } } },
    page: async ({ page }) => receipt(page),
  },
  replaced: {
    service: {
      status: 'COMPLETED',
      payment: {
        funding: { remaining_amount: { ui: '0' }, transactions: [{ state: 'applied' }] },
        replaced: [{ chain_id: bitcoinChainId }],
      },
    },
    page: async ({ page }) => receipt(page),
  },
  'taken-back': {
    service: {
      status: 'AWAITING_PAYMENT',
      payment: { funding: { received_amount: { ui: '0' }, transactions: [] }, replaced: [{ chain_id: bitcoinChainId }] },
    },
    page: async ({ page }) => title(page, /^Send 0\.\d+ BTC/),
  },
  'price-kept': {
    service: { status: 'COMPLETED', payment: { funding: { remaining_amount: { ui: '0' }, transactions: [{ state: 'applied' }] } } },
    page: async ({ page }) => receipt(page),
  },
}

test('default: every scenario has an end to check', () => {
  expect(Object.keys(ends).sort()).toEqual(scenarios.map(({ name }) => name).sort())
})

test.for(played)('default: $name: $sentence', async ({ name, sentence }) => {
  const it = await watched.get(name)!
  const { page, id, wrong } = it
  await ended(it)
  expect(await page.locator('#scenario').getAttribute('data-at'), await page.locator('#scenario').innerText()).toBe('reached')
  expect(await page.locator('#scenario p').textContent()).toBe(sentence)
  const { service, page: shown } = ends[name]!
  expect(await shop.read(id)).toMatchObject(service)
  await shown(it)
  expect(wrong).toEqual([])
})

test('behavior: a reopened page shows how the scenario ended, and nothing is played twice', async () => {
  const { page, id } = await watched.get('underpay')!
  const before = await shop.read(id)
  const other = await newPage()
  await other.goto(`${before.hosted_url}?simulate=underpay`)
  await other.waitForSelector('#scenario[data-at=reached]')
  expect(await other.locator('#scenario output').textContent()).toBe(await page.locator('#scenario output').textContent())
  expect(await shop.read(id)).toEqual(before)
})

const ask = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(service.payUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const playEvents = async (answer: Response) =>
  (await answer.text())
    .trim()
    .split('\n')
    .map((line) => PlayEvent.parse(JSON.parse(line)))

test('behavior: a link that names bitcoin plays the scenario in bitcoin', async () => {
  const order = await shop.order()
  const page = await newPage()
  await page.goto(`${order.hosted_url}?simulate=underpay&look=0&currency=${bitcoinChainId}-native`)
  await page.waitForSelector('#scenario[data-at=reached], #scenario[data-at=failed]')
  expect(await page.locator('#scenario output').textContent()).toMatch(/^It is confirmed and counts\. 0\.\d+ BTC on Bitcoin remain/)
  expect(await shop.read(order.id)).toMatchObject({
    status: 'PARTIAL_PAYMENT',
    payment: { input: { currency: { chain_id: bitcoinChainId } } },
  })
})

test('behavior: without scripts a button plays the scenario, and nothing is played before it is pressed', async () => {
  const order = await shop.order()
  const page = await newPage({ javaScriptEnabled: false })
  await page.goto(`${order.hosted_url}?simulate=wrong-token&look=0`)
  expect((await shop.read(order.id)).status).toBe('PENDING')
  await page.getByRole('button', { name: 'Play it' }).click()
  await until(async () => (await shop.read(order.id)).payment?.funding?.transactions[0]?.state === 'held')
  await until(async () => (await page.reload()) && (await page.locator('#scenario[data-at=reached]').count()) === 1)
  expect(await page.locator('main').innerText()).toContain('Your 42.50 USDT arrived on Base')
})

test('behavior: npm run scenario plays one on this instance, prints each step, and exits with 0', async () => {
  const env = { ...process.env, TILL_DATA: service.dataFolder }
  const { code, out } = await new Promise<{ code: number | null; out: string }>((resolve) => {
    const child = execFile('npm', ['run', '--silent', 'scenario', '--', 'wrong-chain', '--look', '0'], { cwd: root, env }, (_, out) =>
      resolve({ code: child.exitCode, out }),
    )
  })
  expect(out).toMatch(/^reached: AWAITING_PAYMENT · received 0 USDC · remaining 42\.5 USDC · held: wrong_chain$/m)
  expect(code).toBe(0)
  const link = /^watch it at (\S+)$/m.exec(out)?.[1]
  expect((await fetch(link!)).status).toBe(200)
  expect(out).toContain('  The payer sends 42.50 USDC on Ethereum, and 42.50 USDC on Base is due.\n')
})

test('behavior: the demo lists every scenario, and one click plays it', async () => {
  const shopUrl = (await fetch(service.payUrl, { redirect: 'manual' })).headers.get('location')!
  const page = await newPage()
  const wrong = watch(page, [shopUrl, service.payUrl])
  await page.goto(shopUrl)
  await page.getByRole('link', { name: 'Scenarios' }).click()
  for (const { title, sentence } of scenarios) {
    await page.getByRole('button', { name: `Watch: ${title}` }).waitFor()
    await page.getByText(sentence).waitFor()
  }
  // A step may be over before the test looks.
  await page.addInitScript(() => {
    const stages: (string | undefined)[] = []
    Object.assign(window, { stages })
    new MutationObserver((all) => {
      for (const { target } of all) if (target instanceof HTMLElement && target.id === 'scenario') stages.push(target.dataset.at)
    }).observe(document, { subtree: true, attributeFilter: ['data-at'] })
  })
  await page.getByRole('button', { name: 'Watch: Wrong token' }).click()
  await ready(page)
  expect(new URL(page.url()).origin).toBe(service.payUrl)
  await page.waitForSelector('#scenario[data-name=wrong-token]')
  await until(() => page.evaluate(() => (window as unknown as { stages: string[] }).stages.includes('step')))
  expect(wrong).toEqual([])
})

test('error: an unknown scenario name is reported on the page, which stays usable', async () => {
  const order = await shop.order()
  const page = await newPage()
  await page.goto(`${order.hosted_url}?simulate=%3Cscript%3E`)
  await ready(page)
  expect(await page.locator('#scenario').textContent()).toMatch(/^There is no scenario "<script>"\. There are: underpay, /)
  await page.getByRole('button', { name: /Send to address/ }).click()
  await title(page, 'Send 42.50 USDC on Base')
})

test('error: invalid requests are refused and leave the order unchanged', async () => {
  const order = await shop.order()
  const refused = async (path: string, body: unknown, headers?: Record<string, string>) => (await ask(path, body, headers)).status
  expect(await refused('/test/scenarios/nothing', {})).toBe(404)
  expect(await refused('/test/scenarios/late', { order_id: 'ord_unknown' })).toBe(404)
  expect(await refused('/test/scenarios/late', { order_id: 7 })).toBe(400)
  expect(await refused('/test/scenarios/late', undefined)).toBe(400)
  for (const site of ['cross-site', 'same-site'])
    expect(await refused('/test/scenarios/late', { order_id: order.id }, { 'sec-fetch-site': site })).toBe(403)
  const { id } = await watched.get('underpay')!
  expect(await refused('/test/scenarios/reorg', { order_id: id })).toBe(409)
  expect((await shop.read(order.id)).status).toBe('PENDING')
})

test('error: a scenario that cannot be played on an order ends with a sentence that says why', async () => {
  const ended = async (name: string, id: string) =>
    (await playEvents(await ask(`/test/scenarios/${name}`, { order_id: id, look_ms: 0 }))).at(-1)
  const [plain, paid] = [await shop.order(), await shop.instructed()]
  expect(await ended('card-declined', plain.id)).toEqual({ at: 'failed', text: 'The merchant does not take cards for this order.' })
  await shop.payer(8453).pay(paid.asset, paid.to, paid.raw)
  await until(async () => (await shop.read(paid.order.id)).status === 'COMPLETED')
  expect(await ended('late', paid.order.id)).toEqual({
    at: 'failed',
    text: 'The order is COMPLETED: nothing can be played on it any more.',
  })
})

test('error: outside local mode there are no scenarios, and the page does not mention them', async () => {
  const stage = await startStage()
  try {
    const process = await stage.start()
    const client = (await stage.merchant()).at(process)
    const order: Order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '5', fiat_unit: 'usd' } })
    const at = new URL(order.hosted_url).origin
    const post = (path: string) => fetch(at + path, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    expect((await post('/test/scenarios/underpay')).status).toBe(404)
    for (const path of ['/test/scenarios', '/test/scenario.js']) expect((await fetch(at + path)).status).toBe(404)
    const answer = await fetch(`${order.hosted_url}?simulate=underpay`, { redirect: 'manual' })
    expect(answer.status).toBe(200)
    const html = (await answer.text()).replace(/<script type="application\/json".*?<\/script>/, '')
    expect(html).not.toMatch(/scenario|simulate/)
    expect((await client.ask('getOrder', { params: { order_id: order.id } })).status).toBe('PENDING')
  } finally {
    await stage.close()
  }
})
