import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop } from '../support/service/checkout.ts'
import { complaints } from '../support/browser/merchant-page.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** The demo as a newcomer sees it: every way to embed, under its own strict policy. */

let service: Service
let shop: string
const browser = useBrowser()

beforeAll(async () => {
  service = await startService()
  shop = (await fetch(service.payUrl, { redirect: 'manual' })).headers.get('location')!
})
afterAll(() => service?.close())

async function open(path: string) {
  const page = await (await browser.context()).newPage()
  const wrong = complaints(page)
  await page.goto(shop + path)
  return { page, wrong }
}
const title = 'How would you like to pay?'

test('default: the shop, a link, the hosted page', async () => {
  const { page, wrong } = await open('/')
  await page.getByRole('button', { name: 'Buy' }).first().click()
  await page.getByRole('heading', { name: title }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/pay\//)
  expect(wrong).toEqual([])
})

test.for(['/modal', '/inline'])('behavior: %s, with the events it receives next to it', async (path) => {
  const { page, wrong } = await open(path)
  if (path === '/modal') await page.getByRole('button', { name: /Pay/ }).click()
  await page.frameLocator('iframe').getByRole('heading', { name: title }).waitFor()
  await until(async () => (await page.locator('#log').textContent())?.includes('ready'))
  expect(wrong).toEqual([])
})

test('behavior: /popup', async () => {
  const { page, wrong } = await open('/popup')
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: /Pay/ }).click()])
  await popup.getByRole('heading', { name: title }).waitFor()
  await until(async () => (await page.locator('#log').textContent())?.includes('ready'))
  expect(wrong).toEqual([])
})

test('behavior: /redirect', async () => {
  const { page, wrong } = await open('/redirect')
  await page.getByRole('button', { name: /Pay/ }).click()
  await page.waitForURL(/\/pay\//)
  await page.getByRole('heading', { name: title }).waitFor()
  expect(wrong).toEqual([])
})

test('behavior: /script pays, thanks the payer, and shows the received webhook', async () => {
  const { page, wrong } = await open('/script')
  await page.getByRole('button', { name: 'Check out' }).click()
  const frame = page.frameLocator('iframe')
  await frame.getByRole('button', { name: /Send to address/ }).click()
  await frame.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  const to = (await frame.locator('#address').textContent())!
  const id = /ord_[\w-]+/.exec((await page.locator('#log li').last().textContent())!)![0]
  const at = await openShop(service)
  const { asset } = (await at.read(id)).fulfillment
  await at.payer(asset.chain_id).pay(asset.address, to, 42_500_000n)
  await page.getByText('Thank you').waitFor({ state: 'attached' })
  const thanks = async () => (await fetch(`${shop}/orders/${id}`)).text()
  await until(async () => (await thanks()).includes('Your order is on its way'))
  expect(wrong).toEqual([])
})

test('error: another site cannot make orders here', async () => {
  const answer = await fetch(`${shop}/checkout`, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
  expect(answer.status).toBe(403)
})
