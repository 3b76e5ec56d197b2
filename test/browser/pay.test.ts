import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, ready, watch, type Shop } from '../support/service/checkout.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** The page in a real browser, in front of the real service, paid on real chains. */

let service: Service
let shop: Shop
const browser = useBrowser()

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
})
afterAll(() => service?.close())

test('default: choose, send, seen, paid: each step appears by itself', async () => {
  const order = await shop.order()
  const page = await (await browser.context({ viewport: { width: 390, height: 844 } })).newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  await page.waitForURL(/\?.*method=address/)
  const address = (await page.locator('#address').textContent()) ?? ''
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)
  // The focus moves to the heading so that screen readers continue there.
  await page.locator('h1:focus').waitFor()

  const { asset } = order.fulfillment
  const payer = shop.payer(asset.chain_id)
  await payer.pay(asset.address, address, 20_000_000n)
  await page.getByRole('heading', { name: /Send the remaining 22\.50 USDC on Base/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Copy amount' }).getAttribute('data-copy')).toBe('22.50')
  await payer.pay(asset.address, address, 22_500_000n)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  expect(await page.getByRole('region', { name: 'Receipt' }).textContent()).toContain('NW-20418')
  expect(wrong).toEqual([])
})

test('behavior: a payment works without scripts from start to receipt', async () => {
  const order = await shop.order()
  const page = await (await browser.context({ javaScriptEnabled: false })).newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(order.hosted_url)
  expect((await shop.read(order.id)).status).toBe('PENDING')
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  // Forms redirect to a page, so a reload submits nothing twice.
  expect(page.url()).toMatch(/\?method=address&currency=8453-0x/)
  expect(await page.getByRole('button', { name: 'Copy address' }).isVisible()).toBe(false)
  const address = (await page.locator('#address').textContent()) ?? ''
  await shop.payer(order.fulfillment.asset.chain_id).pay(order.fulfillment.asset.address, address, 42_500_000n)
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  const receipt = await (await fetch(`${service.payUrl}/pay/${order.id}/receipt`)).text()
  expect(receipt).toContain('NW-20418')
  expect(receipt).not.toContain('<script')
  expect(wrong).toEqual([])
})

test('behavior: who paid too much says where the rest should go, with scripts and without, and the merchant’s agreement sends it there', async () => {
  const address = `0x${'5e'.repeat(20)}`
  for (const javaScriptEnabled of [true, false]) {
    const { order, to, raw, asset } = await shop.instructed()
    await shop.payer(order.fulfillment.asset.chain_id).pay(asset, to, raw + 7_500_000n)
    await until(async () => (await shop.read(order.id)).status === 'COMPLETED')
    const page = await (await browser.context({ javaScriptEnabled })).newPage()
    const wrong = watch(page, [service.payUrl])
    await page.goto(order.hosted_url)
    await page.getByRole('heading', { name: /7\.50 USDC on Base is still yours/ }).waitFor()
    if (javaScriptEnabled) await ready(page)
    await page.getByText('Get it back').click()
    const field = page.getByLabel('Your address on Base')
    const send = page.getByRole('button', { name: 'Ask for it back' })
    await field.fill('my exchange')
    await send.click()
    await page.getByText('This isn’t an address on Base.').waitFor()
    expect(await field.inputValue()).toBe('my exchange')
    await field.fill(address)
    await send.click()
    await page.getByText(/We’ve given .* this address/).waitFor()
    const { payment } = await shop.read(order.id)
    expect(payment?.refund).toMatchObject({ proposed: [{ address, chain_id: order.fulfillment.asset.chain_id }] })
    expect(payment?.refunds ?? []).toEqual([])
    await shop.client.ask('refundOrder', {
      params: { order_id: order.id },
      body: { amount: '7.5', recipient: address },
      headers: { 'idempotency-key': order.id },
    })
    await until(async () => (await shop.read(order.id)).payment?.refunds?.[0]?.address === address)
    expect(wrong).toEqual([])
  }
})

test('behavior: another token and network can be chosen from the list, and the first again', async () => {
  const order = await shop.order()
  const page = await (await browser.context()).newPage()
  const wrong = watch(page, [service.payUrl])
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByRole('button', { name: /Send to address/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  await page.goForward()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  await page.reload()
  await ready(page)
  await page.goBack()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  await page.getByRole('link', { name: 'Other token or network' }).click()
  await page.getByRole('heading', { name: 'Choose what to send' }).waitFor()
  await page.getByRole('button', { name: /^ETH Base / }).click()
  await page.getByRole('heading', { name: /Send [\d.]+ ETH on Base/ }).waitFor()
  // Every wallet understands a link for the native coin, so the code with the amount comes first.
  expect(await page.getByRole('radio', { name: 'With amount' }).isChecked()).toBe(true)
  await page.getByRole('link', { name: /Other token or network/ }).click()
  await page.getByRole('button', { name: /Base.*USDC/ }).click()
  await page.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  expect(wrong).toEqual([])
})

test('behavior: a refund address is checked, saved and shown', async () => {
  const { order } = await shop.instructed()
  const page = await (await browser.context()).newPage()
  await page.goto(order.hosted_url)
  await ready(page)
  await page.getByText('Refund address (optional)').click()
  await page.getByLabel('Your address on Base').fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'isn’t an address on Base' }).waitFor()
  await page.getByLabel('Your address on Base').fill('0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C'.toLowerCase())
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Money that has to go back').waitFor()
  await until(async () => (await shop.read(order.id)).payment?.refund?.address !== undefined)
})

test('behavior: without scripts a refund address is typed on a page that does not refresh itself', async () => {
  const { order } = await shop.instructed()
  const page = await (await browser.context({ javaScriptEnabled: false })).newPage()
  await page.goto(order.hosted_url)
  const refresh = page.locator('meta[http-equiv=refresh]')
  expect(await refresh.count()).toBe(1)
  await page.getByText('Refund address (optional)').click()
  expect(await page.getByRole('button', { name: 'Save' }).isVisible()).toBe(false)
  await page.getByRole('link', { name: 'Your address on Base' }).click()
  expect(await refresh.count()).toBe(0)
  await page.getByRole('textbox', { name: 'Your address on Base' }).fill('0x0000000000000000000000000000000000000000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'Money sent to this address would be lost.' }).waitFor()
  await page.getByRole('textbox', { name: 'Your address on Base' }).fill('0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Money that has to go back').waitFor()
  expect(await refresh.count()).toBe(1)
})

test('behavior: a payment on the wrong chain or in the wrong token is seen, named and held', async () => {
  const { order, to } = await shop.instructed()
  const page = await (await browser.context()).newPage()
  await page.goto(order.hosted_url)
  await ready(page)
  await shop.payer(1).pay(null, to, 10n ** 16n)
  await page.getByText('Your 0.01 ETH arrived on Ethereum. This order needs USDC on Base.').waitFor()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Your 0.01 ETH arrived on Ethereum.')
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('To pay the order, send 42.50 USDC on Base.')
})

test('behavior: an unknown link says so, and a requested language is used', async () => {
  const { order } = await shop.instructed()
  const page = await (await browser.context({ javaScriptEnabled: false })).newPage()
  const missing = await page.goto(`${service.payUrl}/pay/ord_doesnotexist0000000`)
  expect(missing?.status()).toBe(404)
  await page.getByRole('heading', { name: 'There’s no payment at this link' }).waitFor()
  await page.goto(`${order.hosted_url}?locale=de`)
  expect(await page.getAttribute('html', 'lang')).toBe('de')
})
