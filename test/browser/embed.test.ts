import type { FrameLocator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints, eventLog, hostEvents, eventTypes } from '../support/browser/merchant-page.ts'
import { until } from '../support/wait.ts'

/** A merchant's page and our page on two sites in one Chromium, paid on a real chain. */

const here = useShopSite()
const browser = useBrowser()

const order = (settings: object = {}) => here.shop.order({ embed_origins: [here.site.origin], ...settings })
let pages = 0
const merchantPage = (body: string, headers?: Readonly<Record<string, string>>) =>
  here.site.put(
    `/${++pages}`,
    `<!doctype html><html lang="en"><head><title>Shop</title><script>${eventLog}</script><script async src="${here.service.payUrl}/till.js"></script></head><body>${body}</body></html>`,
    headers,
  )

async function open(url: string) {
  const page = await (await browser.context()).newPage()
  const wrong = complaints(page)
  await page.goto(url)
  return { page, wrong }
}
const frameIn = (page: Page, of: string): FrameLocator => page.frameLocator(`${of} iframe`)

/** Chooses the address in the checkout and pays there in two parts. */
async function payInTwo(page: Page, frame: FrameLocator, asset: { chain_id: number; address: string }) {
  await frame.getByRole('button', { name: /Send to address/ }).click()
  await frame.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  const to = (await frame.locator('#address').textContent()) ?? ''
  await frame.locator('#till[data-ready=live]').waitFor()
  const payer = here.shop.payer(asset.chain_id)
  await payer.pay(asset.address, to, 20_000_000n)
  await frame.getByRole('heading', { name: /Send the remaining 22\.50/ }).waitFor()
  await until(async () => (await eventTypes(page)).includes('partial'))
  await payer.pay(asset.address, to, 22_500_000n)
  await frame.getByRole('link', { name: 'Save receipt PDF' }).waitFor()
}

test('default: inline, from the choice to the receipt', async () => {
  const made = await order()
  const { page, wrong } = await open(merchantPage(`<till-checkout order="${made.id}"></till-checkout>`))
  const frame = frameIn(page, 'till-checkout')
  await frame.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  const height = () => page.locator('till-checkout').evaluate((element) => element.getBoundingClientRect().height)
  await until(async () => (await height()) !== 320)
  const before = await height()
  await payInTwo(page, frame, made.fulfillment.asset)
  await until(async () => (await eventTypes(page)).at(-1) === 'paid')
  expect(await eventTypes(page)).toEqual(['open', 'ready', 'method', 'partial', 'pending', 'paid'])
  expect((await hostEvents(page)).find(({ type }) => type === 'partial')?.detail).toMatchObject({
    order: made.id,
    status: 'PARTIAL_PAYMENT',
    received: '20',
    remaining: '22.5',
  })
  // Nothing in the frame scrolls because it is as high as its page.
  await until(() => page.frames()[1]!.evaluate(() => document.documentElement.scrollHeight === innerHeight))
  expect(await height()).not.toBe(before)
  expect(wrong).toEqual([])
})

test('default: modal, from the click to the receipt', async () => {
  const made = await order()
  const { page, wrong } = await open(
    merchantPage(`<p style="height:3000px">Long</p><a href="#x">A link</a><till-button order="${made.id}">Pay $42.50</till-button>`),
  )
  await page.getByRole('button', { name: 'Pay $42.50' }).click()
  const dialog = page.getByRole('dialog', { name: 'Secure checkout' })
  await dialog.waitFor()
  const frame = frameIn(page, 'dialog')
  await payInTwo(page, frame, made.fulfillment.asset)
  await until(async () => (await eventTypes(page)).at(-1) === 'paid')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await eventTypes(page)).toEqual(['open', 'ready', 'method', 'partial', 'pending', 'paid', 'closed'])
  expect(wrong).toEqual([])
})

test('behavior: a popup opens inside the click, loads when the order exists, and closes itself', async () => {
  const made = await order({ return_url: `${here.site.origin}/thanks` })
  const { page, wrong } = await open(
    merchantPage(
      `<till-button present="popup">Pay</till-button><script>document.querySelector('till-button').order = () => new Promise((give) => window.give = () => give('${made.id}'))</script>`,
    ),
  )
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Pay' }).click()])
  const wrongThere = complaints(popup)
  expect(popup.url()).toBe('about:blank')
  await page.evaluate(() => (window as unknown as { give(): void }).give())
  await popup.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  expect(popup.url()).toBe(`${here.service.payUrl}/popup/${made.id}`)
  await until(async () => (await eventTypes(page)).includes('ready'))
  await popup.getByRole('button', { name: /Send to address/ }).click()
  await popup.reload()
  await until(async () => (await eventTypes(page)).filter((type) => type === 'ready').length === 2)
  await popup.close()
  await until(async () => (await eventTypes(page)).at(-1) === 'closed')
  expect((await hostEvents(page)).at(-1)?.detail).toEqual({ order: made.id, reason: 'payer' })
  expect([...wrong, ...wrongThere]).toEqual([])
})

test('behavior: redirect, and Back returns to a working button', async () => {
  const made = await order()
  const { page, wrong } = await open(merchantPage(`<till-button present="redirect" order="${made.id}">Pay</till-button>`))
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL(`${here.service.payUrl}/pay/${made.id}`)
  await page.goBack()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL(`${here.service.payUrl}/pay/${made.id}`)
  expect(wrong).toEqual([])
})

test('behavior: a blocked popup becomes a redirect', async () => {
  const made = await order()
  const { page } = await open(
    merchantPage(
      `<script>const real = open; window.open = (url, name, features) => features ? null : real(url, name)</script><till-button present="popup" order="${made.id}">Pay</till-button>`,
    ),
  )
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL(`${here.service.payUrl}/pay/${made.id}`)
})

test('behavior: the frame prepared on hover is the one that opens, and the history does not grow', async () => {
  const made = await order()
  const { page, wrong } = await open(merchantPage(`<till-button order="${made.id}">Pay</till-button>`))
  const shell = page.waitForResponse(`${here.service.payUrl}/frame`)
  await page.getByRole('button', { name: 'Pay' }).hover()
  await shell
  const before = await page.evaluate(() => history.length)
  const frames = page.frames().length
  await page.getByRole('button', { name: 'Pay' }).click()
  await frameIn(page, 'dialog').getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  expect(page.frames().length).toBe(frames)
  expect(await page.evaluate(() => history.length)).toBe(before)
  expect(wrong).toEqual([])
})

test('behavior: the modal traps the focus, locks scrolling, and closes on Escape from inside and outside', async () => {
  const made = await order()
  const { page } = await open(
    merchantPage(`<p style="height:3000px">Long</p><a href="#x">A link</a><till-button order="${made.id}">Pay</till-button>`),
  )
  const button = page.getByRole('button', { name: 'Pay', exact: true })
  await button.focus()
  await page.keyboard.press('Enter')
  const frame = frameIn(page, 'dialog')
  await frame.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  await until(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName === 'IFRAME'))
  const y = await page.evaluate(() => scrollY)
  await page.mouse.move(5, 5)
  await page.mouse.wheel(0, -500)
  for (let tabs = 0; tabs < 12; tabs++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.matches('a, till-button'))).toBe(false)
  }
  expect(await page.evaluate(() => scrollY)).toBe(y)
  // Escape closes what was opened last, which is not the checkout here. The links of the list follow the page once its listener is there.
  await frame.getByRole('button', { name: /Send to address/ }).click()
  await frame.locator('.foot a[href*="method=address"]').first().waitFor({ state: 'attached' })
  await frame.locator('.foot summary').click()
  await page.keyboard.press('Escape')
  await frame.locator('.foot ul').waitFor({ state: 'hidden' })
  await frame.locator('main h1').focus()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await until(() => page.evaluate(() => document.activeElement?.matches('till-button')))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await hostEvents(page)).filter(({ type }) => type === 'closed').length).toBe(2)
})

test('behavior: several buttons, two scripts and early calls are each wired once', async () => {
  const [first, second] = [await order(), await order()]
  const { page, wrong } = await open(
    merchantPage(`<script src="${here.service.payUrl}/till.js"></script><till-checkout order="${first.id}"></till-checkout><till-checkout order="${second.id}"></till-checkout>
<till-button order="${first.id}">First</till-button><till-button order="${second.id}">Second</till-button><div id="here"></div>
<script>(window.Till ||= []).push((till) => { window.ran = (window.ran ?? 0) + 1; till.mount(document.getElementById('here'), { order: async () => '${second.id}' }) })</script>`),
  )
  await until(async () => (await eventTypes(page)).filter((type) => type === 'ready').length === 3)
  expect(await page.evaluate(() => (window as unknown as { ran: number }).ran)).toBe(1)
  expect(page.frames().length).toBe(4)
  // By keyboard: a checkout above still grows to its height after it is ready, and a mouse would miss the button as it moves.
  await page.getByRole('button', { name: 'Second' }).press('Enter')
  await until(async () => (await hostEvents(page)).filter(({ type }) => type === 'ready').at(3)?.detail.order === second.id)
  expect(await page.evaluate(() => Object.keys(window).filter((key) => /till/i.test(key)))).toEqual(['Till'])
  expect(wrong).toEqual([])
})

test('behavior: an order that cannot be made is reported, and nothing stays open', async () => {
  const { page } = await open(
    merchantPage(
      `<till-button>Pay</till-button><script>document.querySelector('till-button').order = () => Promise.reject(new Error('out of stock'))</script>`,
    ),
  )
  await page.getByRole('button', { name: 'Pay' }).click()
  await until(async () => (await eventTypes(page)).at(-1) === 'closed')
  const { detail } = (await hostEvents(page)).find(({ type }) => type === 'error')!
  expect(detail).toMatchObject({ code: 'order', message: 'no order: out of stock' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.locator('till-button').evaluate((element) => element.shadowRoot?.querySelector('button')?.ariaBusy)).toBe('false')
})

test('behavior: repeated mounting and removal leaves nothing behind', async () => {
  const made = await order()
  const { page, wrong } = await open(merchantPage(`<div id="app"></div>`))
  const session = await page.context().newCDPSession(page)
  const counts = async () => {
    await session.send('HeapProfiler.collectGarbage')
    const { nodes, jsEventListeners, documents } = await session.send('Memory.getDOMCounters')
    return {
      nodes,
      jsEventListeners,
      documents,
      frames: page.frames().length,
      sheets: await page.evaluate(() => document.adoptedStyleSheets.length),
    }
  }
  const [, metrics] = /(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(here.service.output())!
  const sockets = async () => Number(/^till_sockets\S* (\d+)$/m.exec(await (await fetch(metrics!)).text())![1])
  const round = (wait: boolean) =>
    page.evaluate(
      async ([id, wait]) => {
        const { Till } = window as unknown as {
          Till: {
            mount(target: Element, options: object): { close(): void; once(type: string): Promise<unknown> }
            open(options: object): { close(): void; once(type: string): Promise<unknown> }
          }
        }
        const app = document.getElementById('app')!
        // React's strict mode mounts, unmounts and mounts again.
        Till.mount(app, { order: id }).close()
        const inline = Till.mount(app, { order: id })
        const modal = Till.open({ order: id })
        if (wait) await Promise.all([inline.once('ready'), modal.once('ready')])
        modal.close()
        app.replaceChildren()
      },
      [made.id, wait] as const,
    )
  await until(() => page.evaluate(() => 'open' in ((window as unknown as { Till: object }).Till ?? {})))
  for (let i = 0; i < 3; i++) await round(i % 2 === 0)
  const before = await counts()
  for (let i = 0; i < 8; i++) await round(i % 2 === 0)
  await until(async () => {
    const after = await counts()
    expect(after.frames).toBe(1)
    expect(after.sheets).toBe(before.sheets)
    expect(after.documents).toBeLessThanOrEqual(before.documents)
    expect(after.jsEventListeners).toBeLessThanOrEqual(before.jsEventListeners)
    return true
  })
  // The service's own socket count shows that removed pages have disconnected.
  await until(async () => (await sockets()) === 0)
  expect(wrong).toEqual([])
})
