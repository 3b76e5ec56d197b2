import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, ready, type Shop, watch } from '../support/service/checkout.ts'
import { startService, type Service } from '../support/service/service.ts'

/** Card payments in a real browser: the total, one tap to the provider's page, and the order updates by itself. */

let service: Service
let shop: Shop
const browser = useBrowser()
beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
})
afterAll(() => service?.close())

test('default: the total, the provider’s page, a declined card with its reason, then payment and receipt', async () => {
  const order = await shop.order({ card_payments: true })
  const page = await (await browser.context({ viewport: { width: 390, height: 844 } })).newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('link', { name: /Card/ }).click()
  await page.getByRole('heading', { name: 'Pay by card' }).waitFor()
  const go = page.getByRole('link', { name: /Continue to the card page/ })
  await go.waitFor()
  expect(await page.locator('main').getByText('$44.04').count()).toBe(1)
  expect(await page.locator('.sum .amt').textContent()).toBe('$44.04')
  expect(await page.locator('input').count()).toBe(0)

  const opened = page.context().waitForEvent('page')
  await go.click()
  const provider = await opened
  await provider.getByRole('button', { name: 'Decline the card' }).click()
  await page.getByText(/Try another card/).waitFor()
  await provider.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  expect(wrong).toEqual([])
})

test('behavior: when the provider refuses, the page says why and another method is one tap away', async () => {
  const order = await shop.order({ card_payments: true })
  const setRefusal = (refuses: string | null) =>
    fetch(`${service.payUrl}/test/card`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refuses }),
    })
  await setRefusal('payment_method')
  const page = await (await browser.context()).newPage()
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('link', { name: /Card/ }).click()
  await page.getByText(/This card wasn’t accepted/).waitFor()
  await setRefusal(null)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: /Continue to the card page/ }).waitFor()
  await page.getByRole('button', { name: /Other ways to pay/ }).click()
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
})
