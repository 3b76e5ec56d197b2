import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, type Shop, subscribed } from '../support/service/checkout.ts'
import { startService, type Service, unhurried } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { blocksOf } from './blocks.ts'
import { makeMerchantFolder, type MerchantFolder } from './merchant-folder.ts'

/** The guide's samples for native apps against the page itself, as far as that goes without a phone. */

const doc = 'docs/guides/apps.md'
const blocks = blocksOf(doc)
const textOf = (kind: string) => blocks.find((block) => block.kind === kind)?.text ?? ''

interface Decisions {
  readMessage(text: string, orderId: string): { type: string; isStatus: boolean; again: boolean } | undefined
  opens(url: string, order: object): string
}

let service: Service
let shop: Shop
let folder: MerchantFolder
let decisions: Decisions
const browser = useBrowser()

beforeAll(async () => {
  ;[service, folder] = await Promise.all([startService({ env: unhurried }), makeMerchantFolder()])
  shop = await openShop(service)
  const file = join(folder.room(doc), 'till-webview.js')
  writeFileSync(file, blocks.find((block) => block.file === 'till-webview.js')?.text ?? '')
  decisions = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Decisions
})
afterAll(async () => {
  await service?.close()
  folder?.remove()
})

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('default: the sample reads what the page posts, and sends its links to where they belong', async () => {
  const order = await shop.order({ return_url: 'https://shop.example/thanks' })
  const context = await browser.context(phone)
  const posted: string[] = []
  await context.exposeFunction('receive', (text: string) => void posted.push(text))
  await context.addInitScript('window.ReactNativeWebView = { postMessage: (text) => window.receive(text) }')
  const page = await context.newPage()
  const follows = subscribed(page)
  await page.goto(order.hosted_url)
  await page.getByRole('button', { name: /Send to address/ }).click()
  const to = (await page.locator('#address').textContent()) ?? ''
  await page.locator('a[href^="ethereum:"], a[href*="metamask"], a[href*="trustwallet"]').first().waitFor({ state: 'attached' })
  const opens = (urls: readonly string[]) => urls.map((url) => decisions.opens(url, order))
  const hrefs = () => page.locator('a[href]').evaluateAll((links) => (links as HTMLAnchorElement[]).map(({ href }) => href))
  const wallets = (await hrefs()).filter((href) => !href.startsWith(service.payUrl))
  expect(wallets.length).toBeGreaterThan(0)
  expect(new Set(opens(wallets))).toEqual(new Set(['system']))
  expect(opens([page.url()])).toEqual(['webview'])

  const { asset } = order.fulfillment
  await follows
  await shop.payer(asset.chain_id).pay(asset.address, to, 42_500_000n)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  const received = () => posted.flatMap((text) => decisions.readMessage(text, order.id) ?? [])
  await until(() => received().some(({ type }) => type === 'paid'))
  expect(
    received()
      .filter(({ isStatus, again }) => isStatus && !again)
      .map(({ type }) => type),
  ).toEqual(['pending', 'paid'])
  expect(posted.flatMap((text) => decisions.readMessage(text, 'ord_other') ?? [])).toEqual([])
  const back = (await hrefs()).filter((href) => href.startsWith('https://shop.example'))
  expect(new Set(opens(back))).toEqual(new Set(['app']))
  const explorers = await page.locator('a[target=_blank]').evaluateAll((links) => (links as HTMLAnchorElement[]).map(({ href }) => href))
  expect(explorers.length).toBeGreaterThan(0)
  expect(new Set(opens(explorers))).toEqual(new Set(['system']))
})

test('default: the samples listen to the bridges that the page looks for, and know every status that it posts', () => {
  const statuses = [
    ...(/statuses = \[([^\]]*)\]/.exec(blocks.find((block) => block.file === 'till-webview.js')?.text ?? '')?.[1] ?? '').matchAll(
      /'(\w+)'/g,
    ),
  ].map(([, name]) => name)
  expect(statuses).toEqual(['pending', 'partial', 'paid', 'expired', 'failed', 'refunded'])
  expect(textOf('swift')).toContain('name: "till"')
  expect(textOf('kotlin')).toContain('"TillAndroid"')
  expect(textOf('tsx')).toContain('onMessage=')
  for (const kind of ['swift', 'kotlin']) for (const name of [...statuses, 'close']) expect(textOf(kind)).toContain(`"${name}"`)
})
