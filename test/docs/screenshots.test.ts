import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { full } from '../support/full.ts'
import { startMerchantSite, type MerchantSite } from '../support/browser/merchant-page.ts'
import { root } from '../support/root.ts'
import { startService, type Service } from '../support/service/service.ts'
import { documents, read } from './blocks.ts'

/**
 * The full run takes every screenshot of the documents, which proves that each still can be taken. This command writes them:
 *
 *     TILL_SCREENSHOTS=write npx vitest run test/docs/screenshots.test.ts
 */
const isWriting = process.env.TILL_SCREENSHOTS === 'write'
const folder = join(root, 'docs/screenshots')

let service: Service
let shop: Shop
let site: MerchantSite
const browser = useBrowser()
beforeAll(async () => {
  ;[service, site] = await Promise.all([startService(), startMerchantSite()])
  shop = await openShop(service)
  if (isWriting) mkdirSync(folder, { recursive: true })
})
afterAll(() => Promise.all([service?.close(), site?.close()]))

const desktop = { viewport: { width: 1120, height: 800 }, deviceScaleFactor: 1.5, reducedMotion: 'reduce' } as const
const phone = { viewport: { width: 390, height: 760 }, deviceScaleFactor: 2, reducedMotion: 'reduce' } as const
const dark = { colorScheme: 'dark' } as const

async function paying(page: Page): Promise<void> {
  const { order } = await shop.instructed()
  await page.goto(order.hosted_url)
  await page.locator('#address').waitFor()
}
async function choosing(page: Page, query = ''): Promise<void> {
  const order = await shop.order({ card_payments: true })
  await page.goto(order.hosted_url + query)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

const pictures: Readonly<Record<string, { readonly options: object; take(page: Page): Promise<void> }>> = {
  'pay.webp': { options: desktop, take: paying },
  'pay-dark.webp': { options: { ...desktop, ...dark }, take: paying },
  'ways.webp': { options: { ...phone, ...dark }, take: choosing },
  'arabic.webp': { options: phone, take: (page) => choosing(page, '?locale=ar') },
  'modal.webp': {
    options: desktop,
    async take(page) {
      const order = await shop.order({ embed_origins: [site.origin], card_payments: true })
      const html = `<!doctype html><html lang="en"><title>Northwind Coffee</title><style>body{font:18px/1.5 system-ui;margin:64px auto;max-width:640px}</style><h1>Northwind Coffee</h1><p>Ethiopia Guji, whole bean, 1 kg</p><p>Porcelain dripper, size 02</p><script async src="${service.payUrl}/till.js"></script><till-button order="${order.id}" brand="#0f4c5c">Pay $42.50</till-button></html>`
      await page.goto(site.put('/shop', html))
      await page.getByRole('button', { name: 'Pay $42.50' }).click()
      await page.frameLocator('iframe').getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
    },
  },
  'reference.webp': {
    options: desktop,
    async take(page) {
      await page.goto(`${service.payUrl}/reference#createOrder`)
    },
  },
}

test.runIf(full || isWriting).each(Object.entries(pictures))('default: %s', async (name, { options, take }) => {
  const page = await (await browser.context(options)).newPage()
  await take(page)
  // An icon that loads late would be missing in the screenshot.
  await page.waitForLoadState('networkidle')
  const cdp = await page.context().newCDPSession(page)
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const bytes = Buffer.from(data, 'base64')
  expect(bytes.length).toBeLessThan(120 * 1024)
  expect(bytes.length).toBeGreaterThan(5_000)
  if (isWriting) writeFileSync(join(folder, name), bytes)
})

test('behavior: every image in the documents is one of these screenshots', () => {
  const shown = documents.flatMap((doc) => [...read(doc).matchAll(/screenshots\/([\w-]+\.\w+)/g)].map(([, name]) => name))
  expect([...new Set(shown)].sort()).toEqual(Object.keys(pictures).sort())
})
