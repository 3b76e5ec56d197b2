import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, ready, type Shop } from '../support/service/checkout.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** An invoice on a phone: paying comes first, and nothing of the sheet is cut. */

let service: Service
let shop: Shop
const browser = useBrowser()
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
})
afterAll(() => service?.close())

const beans = { name: 'Ethiopia Guji, 1 kg', quantity: '6', tax: '7', unitPrice: '2664.20' }
const create = (more: readonly (typeof beans)[] = [], due = '2036-05-30') =>
  shop.client.ask('createInvoice', {
    body: {
      from: {
        name: 'Northwind Coffee',
        email: 'billing@northwind.example',
        address: 'Kai 7\n20457 Hamburg',
        tax_number: 'DE 811 907 980',
      },
      recipient: { name: 'Harbour Studio', email: 'accounts@harbour.example', address: '1 Quay Street\nDublin' },
      invoice: { no: 'NW-2026-0112', date: '2026-05-12', due_date: due },
      items: [beans, { name: 'Donaudampfschifffahrtsgesellschaftskapitän', quantity: '1', tax: '19', unitPrice: '117.60' }, ...more],
      fiat_unit: 'eur',
    },
  })

async function open(url: string, { locale = 'en', width = 390, large = false } = {}): Promise<Page> {
  const page = await (await browser.context({ ...phone, viewport: { width, height: 844 } })).newPage()
  await page.goto(`${url}?locale=${locale}`)
  if (large) await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
  return page
}
const topOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.getBoundingClientRect().top)

test('default: a phone shows the amount and the first way to pay at once, and the sheet behind the bar', async () => {
  const page = await open((await create()).payment_url)
  await ready(page)
  expect(await topOf(page, 'main .offers > li')).toBeLessThan(330)
  expect(await page.locator('.inv summary').textContent()).toContain('€17,244.10')
  expect(await page.locator('.sheet').isVisible()).toBe(false)
  await page.locator('.inv summary').click()
  expect(await page.locator('.sheet').getByRole('button', { name: 'Print' }).isVisible()).toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await page.locator('.inv summary').isVisible()).toBe(false)
  expect(await page.locator('.sheet').isVisible()).toBe(true)
})

test('behavior: an unpaid invoice says since when it is overdue, until it is paid', async () => {
  const { payment_url: url, order_id: order } = await create([], '2026-05-30')
  const page = await open(url)
  await ready(page)
  const overdue = page.locator('.inv summary').getByText('Overdue since 30 May 2026')
  await overdue.waitFor()
  const { asset } = (await shop.read(order!)).fulfillment
  const { data } = await shop.client.ask('requestPayment', {
    params: { order_id: order! },
    body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
  })
  const [step] = data.steps
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  await shop.payer(asset.chain_id).pay(asset.address, step.data.deposit_address, BigInt(step.data.amount))
  await overdue.waitFor({ state: 'hidden' })
})

test('default: a closed invoice says so first, and in its title', async () => {
  const { id, payment_url: url } = await create()
  await shop.client.ask('archiveInvoice', { params: { invoice_id: id } })
  const page = await open(url)
  expect(await topOf(page, 'h1')).toBeLessThan(300)
  expect(await page.title()).toBe('Northwind Coffee has closed this invoice · Invoice NW-2026-0112')
})

test.each([{ locale: 'en' }, { locale: 'ar' }, { locale: 'de', width: 360, large: true }, { locale: 'ar', width: 360, large: true }])(
  'behavior: amounts of the sheet end at one edge, and nothing is cut: $locale, large: $large',
  async (look) => {
    const page = await open((await create()).payment_url, look)
    await page.locator('.inv summary').click()
    const { width, ends, outside } = await page.evaluate(() => {
      const numbers = [...document.querySelectorAll('.sheet td:last-child .num, .sheet .tot .num')].map((number) =>
        number.getBoundingClientRect(),
      )
      const sheet = document.querySelector('.sheet')!.getBoundingClientRect()
      return {
        width: document.documentElement.scrollWidth,
        ends: [...new Set(numbers.map(({ left, right }) => Math.round(document.dir === 'rtl' ? left : right)))],
        outside: [...document.querySelectorAll('.sheet *')]
          .filter((element) => {
            const { left, right, width } = element.getBoundingClientRect()
            return width > 1 && (left < sheet.left || right > sheet.right)
          })
          .map((element) => element.outerHTML.slice(0, 80)),
      }
    })
    expect({ width, ends: ends.length, outside }).toEqual({ width: look.width ?? 390, ends: 1, outside: [] })
  },
)

test('behavior: a long invoice is printed whole, from a phone and from a desk', async () => {
  const { payment_url: url } = await create(Array.from({ length: 60 }, () => beans))
  for (const width of [390, 1280]) {
    const page = await open(url, { width })
    // What paper needs is in the whole stylesheet, which follows the page.
    await until(() => page.evaluate(() => document.getElementById('css')?.textContent?.includes('@media print')))
    const paper = (await page.pdf({ format: 'A4' })).toString('latin1')
    expect(paper.match(/\/Type\s*\/Page\b/g)?.length, `${width}`).toBeGreaterThan(3)
  }
})
