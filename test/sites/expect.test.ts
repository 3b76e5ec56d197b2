import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints, eventLog, eventTypes, hostEvents } from '../support/browser/merchant-page.ts'
import { until } from '../support/wait.ts'

/** Pages that say whom they expect to be paid. Of any other order a payer sees nothing that could be paid. */

const here = useShopSite()
const browser = useBrowser()
const stranger = '0x00000000000000000000000000000000000000a1'

const untrue = 'This order can’t be paid here'

/** The order has instructions already, so its page would show the address at once. It settles in one currency, and so names one recipient. */
async function order() {
  const currency = { chain_id: 8453, address: here.shop.token(8453, 'USDC') }
  const { order: made, to } = await here.shop.instructed({ currency, settings: { embed_origins: [here.site.origin] } })
  return { id: made.id, recipient: made.fulfillment.recipient!, to }
}
let pages = 0
const nonce = 'bWVyY2hhbnQ'
async function open(body: string, prepare: (page: Page) => Promise<unknown> = async () => {}) {
  const page = await (await browser.context()).newPage()
  await prepare(page)
  const wrong = complaints(page)
  const url = here.site.put(
    `/${++pages}`,
    `<!doctype html><script nonce="${nonce}">${eventLog}</script><script nonce="${nonce}" async src="${here.service.payUrl}/till.js"></script>${body}`,
    {
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; frame-src ${here.service.payUrl}; base-uri 'none'`,
    },
  )
  await page.goto(url)
  return { page, wrong }
}
const errors = async (page: Page) => (await hostEvents(page)).filter(({ type }) => type === 'error').map(({ detail }) => detail.code)

/** Everything by which a payer could get an address out of a window. */
const offered = (window: Page | ReturnType<Page['frames']>[number]) =>
  window.locator('#address, [data-copy], [data-qr], a[href^="ethereum:"], .open').count()

test('default: an order that pays whom the page expects is shown, inline and in a modal', async () => {
  const { id, recipient, to } = await order()
  const { page, wrong } = await open(
    `<till-checkout order="${id}" expect="${stranger}, ${recipient}"></till-checkout><till-button order="${id}" expect="${recipient.toLowerCase()}">Pay</till-button>`,
  )
  const address = (of: string) => page.frameLocator(`${of} iframe`).locator('#address')
  await address('till-checkout').waitFor()
  expect((await address('till-checkout').textContent())!.toLowerCase()).toBe(to.toLowerCase())
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await address('dialog').waitFor()
  expect(await eventTypes(page)).not.toContain('error')
  // The language's link keeps the path, so the page that it loads is checked as well.
  await page
    .frameLocator('till-checkout iframe')
    .locator('html')
    .evaluate(() => location.assign(`${location.pathname}?locale=de`))
  await page.frameLocator('till-checkout iframe').getByText('Adresse kopieren').waitFor()
  expect(await eventTypes(page)).not.toContain('error')
  expect(wrong).toEqual([])
})

test('behavior: until the page has checked the order, nothing of it can be seen', async () => {
  const { id, recipient } = await order()
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const { page } = await open(`<till-checkout order="${id}" expect="${recipient}"></till-checkout>`, (page) =>
    page.context().route('**/till-verify-*', async (route) => {
      await answered
      await route.continue()
    }),
  )
  const frame = page.frameLocator('till-checkout iframe')
  await frame.locator('#till[data-ready=live]:not([data-unchecked])').waitFor({ state: 'attached' })
  expect(await frame.locator('#address').isVisible()).toBe(false)
  expect(await frame.locator('#address').evaluate((element) => getComputedStyle(element).visibility)).toBe('hidden')
  expect(await eventTypes(page)).toEqual(['open'])
  // A later change counts for the next order.
  await page.locator('till-checkout').evaluate((element, other) => element.setAttribute('expect', other), stranger)
  answer()
  await frame.locator('#address').waitFor()
})

/** Each later response with the page has another address in it. */
const replaceAddress = (page: Page, to: string) =>
  page.context().route('**/expect-*/**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll(new RegExp(to, 'gi'), stranger) })
  })

test('error: a frame that reloads during the check does not get the verdict on the order that it showed before', async () => {
  const { id, recipient, to } = await order()
  let [fetching, answer] = [() => {}, () => {}]
  const fetched = new Promise<void>((resolve) => (fetching = resolve))
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const { page } = await open(`<till-checkout order="${id}" expect="${recipient}"></till-checkout>`, (opened) =>
    opened.context().route('**/till-verify-*', async (route) => {
      fetching()
      await answered
      await route.continue()
    }),
  )
  await fetched
  await replaceAddress(page, to)
  const frame = page.frames()[1]!
  await page.evaluate(() => addEventListener('message', ({ data }) => data.type === 'here' && (document.title = 'connected')))
  await frame.evaluate(() => location.reload())
  await page.waitForFunction(() => document.title === 'connected')
  answer()
  await page.frameLocator('till-checkout iframe').getByText(untrue).waitFor()
  expect(await offered(frame)).toBe(0)
  expect((await eventTypes(page)).filter((type) => type !== 'open')).toEqual(['error'])
})

test('error: a page that does not let the host check its order is never shown', async () => {
  const { id, recipient } = await order()
  const { page } = await open(`<till-checkout order="${id}" expect="${recipient}"></till-checkout>`, (opened) =>
    opened.context().route('**/expect-frame/**', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('expect-frame', 'frame') })
      await route.fulfill({ response })
    }),
  )
  const root = page.frameLocator('till-checkout iframe').locator('#till[data-ready=live]')
  await root.waitFor({ state: 'attached' })
  const resizes = async () => (await hostEvents(page)).filter(({ type }) => type === 'resize').map(({ detail }) => detail.height)
  await until(async () => (await resizes()).length > 0)
  // The page has posted `ready` before it posts this height.
  await root.evaluate((element) => void (element.style.height = '2222px'))
  await until(async () => (await resizes()).includes(2222))
  expect(await eventTypes(page)).toEqual(['open'])
  expect(await page.locator('till-checkout').evaluate((element) => element.shadowRoot!.querySelector('.ready'))).toBeNull()
})

const wrongs: Record<
  string,
  (made: { id: string; recipient: string; to: string }) => { expect: string; prepare?: (page: Page) => Promise<unknown> }
> = {
  'pays another recipient': () => ({ expect: stranger }),
  'cannot be compared, since the page expects nobody': () => ({ expect: '' }),
  'has another address': ({ recipient, to }) => ({ expect: recipient, prepare: (page) => replaceAddress(page, to) }),
  'cannot be checked, since the check does not load': ({ recipient }) => ({
    expect: recipient,
    prepare: (page) => page.context().route('**/till-verify-*', (route) => route.abort()),
  }),
}

for (const [name, setting] of Object.entries(wrongs)) {
  test(`error: an order that ${name}: inline, modal, popup`, async () => {
    const made = await order()
    const { expect: expected, prepare } = setting(made)
    const element = (tag: string, present = '') => `<${tag} order="${made.id}" expect="${expected}" ${present}>${tag}${present}</${tag}>`
    const { page } = await open(
      element('till-checkout') + element('till-button') + element('till-button', 'present=popup'),
      async (opened) => prepare?.(opened),
    )
    await page.frameLocator('till-checkout iframe').getByText(untrue).waitFor()
    expect(await errors(page)).toEqual(['unverified'])
    await page.getByRole('button', { name: 'till-button', exact: true }).click()
    await page.frameLocator('dialog iframe').getByText(untrue).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const frame of page.frames().slice(1)) expect(await offered(frame)).toBe(0)
    const opening = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'present=popup' }).click()
    const popup = await opening
    await popup.getByText(untrue).waitFor()
    expect(await offered(popup)).toBe(0)
    await until(async () => (await errors(page)).length === 3)
    expect(await errors(page)).toEqual(['unverified', 'unverified', 'unverified'])
    for (const type of ['ready', 'paid']) expect(await eventTypes(page)).not.toContain(type)
    // The button can be clicked again.
    expect(await page.locator('till-button [aria-busy=true]').count()).toBe(0)
  })
}

test('error: no payer is sent to a page that nobody checks', async () => {
  const { id, recipient } = await order()
  const { page } = await open(`<till-button order="${id}" expect="${recipient}" present="redirect">Pay</till-button>`)
  const url = page.url()
  await page.getByRole('button', { name: 'Pay' }).click()
  await until(async () => (await eventTypes(page)).includes('closed'))
  expect(await errors(page)).toEqual(['unverified'])
  expect(page.url()).toBe(url)
})

test('behavior: from script, an expectation that is missing by mistake refuses every order', async () => {
  const { id, recipient } = await order()
  const { page } = await open('<main></main>')
  const mount = (recipients: string | undefined) =>
    page.evaluate(
      ([order, expected]) => {
        const till = window.Till
        if (till && 'open' in till) till.mount(document.querySelector('main')!, { order: order!, expect: expected })
      },
      [id, recipients],
    )
  await mount(recipient)
  await page.frameLocator('till-checkout:first-of-type iframe').locator('#address').waitFor()
  await mount(undefined)
  await page.frameLocator('till-checkout:last-of-type iframe').getByText(untrue).waitFor()
})
