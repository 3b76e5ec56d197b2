import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { eventLog, eventTypes, hostEvents } from '../support/browser/merchant-page.ts'
import { until } from '../support/wait.ts'

/** Pages whose styles, scripts, routers and networks get in the way of what is embedded in them. In the end the payer can always pay. */

const here = useShopSite()
const browser = useBrowser()

const order = () => here.shop.order({ embed_origins: [here.site.origin] })
const tall = '<div style="height:3000px"></div>'
let pages = 0

interface Host {
  readonly script?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Runs before the page is loaded. */
  readonly before?: (page: Page) => Promise<unknown>
}

async function open(body: string, { script, headers, before }: Host = {}) {
  const page = await (await browser.context()).newPage()
  const made: string[] = []
  await page.exposeFunction('newOrder', async () => {
    const { id } = await order()
    made.push(id)
    return id
  })
  await before?.(page)
  const till = script ?? `<script async src="${here.service.payUrl}/till.js"></script>`
  const url = here.site.put(`/${++pages}`, `<!doctype html><meta charset="utf-8"><script>${eventLog}</script>${till}${body}`, headers)
  await page.goto(url)
  /** The orders that the page's function has made. */
  return { page, made, url }
}

const withFunction = (element: string) =>
  `${element}<script>document.querySelector('${/<([\w-]+)/.exec(element)![1]}').order = () => newOrder()</script>`
const isShown = (page: Page, of: string) =>
  page.frameLocator(`${of} iframe`).getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
const pay = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true })
const isScrollable = (page: Page) =>
  page.evaluate(() => {
    scrollTo(0, 500)
    return scrollY > 0 && getComputedStyle(document.documentElement).overflow !== 'hidden'
  })
async function expectUnlocked(page: Page) {
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await until(() => isScrollable(page))
}

describe('styles of the page', () => {
  test.each([
    ['body { pointer-events: none }', 'a menu or dialog of Radix is open'],
    ['body { visibility: hidden }', 'the page fades in'],
    ['body > div:not(#app) { display: none !important }', 'a router hides what it does not know'],
    ['html > * { pointer-events: none !important; visibility: hidden !important }', 'everything is hidden'],
    ['body { display: none }', 'a guard against framing hides the page'],
  ])('behavior: with %s (%s) the modal is visible, and the mouse reaches it', async (style) => {
    const { id } = await order()
    const { page } = await open(tall)
    await page.waitForFunction(() => 'dropped' in ((window as { Till?: object }).Till ?? {}))
    await page.addStyleTag({ content: style })
    await page.evaluate((orderId) => void (window as never as { Till: { open(o: object): void } }).Till.open({ order: orderId }), id)
    await isShown(page, 'dialog')
    await page
      .frameLocator('dialog iframe')
      .getByRole('button', { name: /Send to address/ })
      .click()
    await page.frameLocator('dialog iframe').getByRole('heading', { name: /^Send/ }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

describe('scripts of the page', () => {
  const openByScript = async (page: Page, id: string) => {
    await page.waitForFunction(() => 'dropped' in ((window as { Till?: object }).Till ?? {}))
    await page.evaluate((orderId) => {
      const { Till } = window as never as { Till: { open(o: object): { result: Promise<{ type: string }> } } }
      void Till.open({ order: orderId }).result.then(({ type }) => void (document.title = type))
    }, id)
    await isShown(page, 'dialog')
  }

  test.each([
    ['the body is emptied', 'document.body.innerHTML = \'<div style="height:3000px"></div>\''],
    [
      'the body is replaced',
      "{ const body = document.createElement('body'); body.innerHTML = '<div style=\"height:3000px\"></div>'; document.body.replaceWith(body) }",
    ],
  ])('behavior: when %s, the checkout stays, and the page is free once it is closed', async (_, change) => {
    const { id } = await order()
    const { page } = await open(tall)
    for (let round = 0; round < 2; round++) {
      await openByScript(page, id)
      await page.evaluate(change)
      await page
        .frameLocator('dialog iframe')
        .getByRole('button', { name: /Send to address/ })
        .waitFor()
      await page.keyboard.press('Escape')
      await expectUnlocked(page)
      expect(await page.title()).toBe('closed')
    }
  })

  test('behavior: a page that removes the checkout from the document ends it, and is not locked', async () => {
    const { id } = await order()
    const { page } = await open(tall)
    await openByScript(page, id)
    await page.evaluate(() =>
      [...document.documentElement.children].forEach((child) => ['HEAD', 'BODY'].includes(child.tagName) || child.remove()),
    )
    await expectUnlocked(page)
    expect(await page.title()).toBe('closed')
    expect((await eventTypes(page)).at(-1)).toBe('closed')
  })

  test('behavior: an element that is moved in the page keeps its order', async () => {
    const { page, made } = await open(
      withFunction('<main id="a"></main><till-checkout></till-checkout>'.replace('<main id="a"></main>', '')) + '<main></main>',
    )
    await isShown(page, 'till-checkout')
    await page.evaluate(() => document.querySelector('main')!.append(document.querySelector('till-checkout')!))
    await isShown(page, 'main till-checkout')
    expect(made).toHaveLength(1)
  })
})

describe('an order function', () => {
  test('behavior: gives one order for a checkout that is closed and opened again, reloaded, and left by Back', async () => {
    const { page, made, url } = await open(withFunction('<till-button>Pay</till-button>') + '<a href="/nowhere">elsewhere</a>')
    await pay(page).click()
    await isShown(page, 'dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await pay(page).click()
    await isShown(page, 'dialog')
    await page.reload()
    await pay(page).click()
    await isShown(page, 'dialog')
    here.site.put('/nowhere', '<!doctype html><p>Elsewhere')
    await page.evaluate(() => void (location.href = '/nowhere'))
    await page.getByText('Elsewhere').waitFor()
    await page.goBack()
    await pay(page).click()
    await isShown(page, 'dialog')
    expect(made).toHaveLength(1)
    // Whoever comes to the page anew may have another cart.
    await page.goto(`${here.site.origin}/nowhere`)
    await page.goto(url)
    await pay(page).click()
    await isShown(page, 'dialog')
    expect(made).toHaveLength(2)
  })

  test('behavior: gives another order where the page says that it is about something else', async () => {
    const { page, made } = await open(withFunction('<till-button order-key="cart 1">Pay</till-button>'))
    for (const key of ['cart 1', 'cart 1', 'cart 2']) {
      await page.locator('till-button').evaluate((button, value) => button.setAttribute('order-key', value), key)
      await pay(page).click()
      await isShown(page, 'dialog')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(made).toHaveLength(2)
  })

  test.each([
    ['an error', 'no'],
    ['a page', '<!doctype html><h1>502 Bad Gateway</h1>'],
    ['an object', { id: 'ord_0123456789abcdef' }],
  ])('error: %s in place of an id leaves the payer in the shop, and the console says what came', async (_, answer) => {
    const { page, url } = await open(
      `<till-button>Pay</till-button><script>document.querySelector('till-button').order = () => (${JSON.stringify(answer)})</script>`,
    )
    const said = page.waitForEvent('console', (message) => message.text().startsWith('Till: no order: your function returned'))
    await pay(page).click()
    expect((await said).text()).toContain(typeof answer === 'string' ? answer.slice(0, 10) : 'ord_')
    await until(async () => (await eventTypes(page)).includes('closed'))
    expect((await hostEvents(page)).find(({ type }) => type === 'error')?.detail).toMatchObject({ code: 'order' })
    expect(page.url()).toBe(url)
  })
})

describe('a network that fails', () => {
  const frames = /\/assets\/till-frames-/

  test('behavior: an inline checkout whose second file does not come offers to continue, and does so once the line is back', async () => {
    const { id } = await order()
    let isDown = true
    const { page } = await open(`<till-checkout order="${id}"></till-checkout>`, {
      before: (created) => created.route(frames, (route) => (isDown ? route.abort() : route.continue())),
    })
    const button = page.getByRole('button', { name: 'Continue to checkout' })
    await button.waitFor()
    isDown = false
    await button.click()
    await isShown(page, 'till-checkout')
  })

  test('behavior: where a policy allows the first file only, that button leads to the full page', async () => {
    const { id } = await order()
    const { page } = await open(`<till-checkout order="${id}"></till-checkout>`, {
      headers: { 'content-security-policy': `script-src 'unsafe-inline' ${here.service.payUrl}/till.js` },
    })
    await page.getByRole('button', { name: 'Continue to checkout' }).click()
    await page.waitForURL(`${here.service.payUrl}/pay/${id}`)
  })

  test('behavior: where a policy forbids the frame, the full page comes at once, by the browser’s own report and no time limit', async () => {
    const { id } = await order()
    const { page } = await open(`<till-button order="${id}">Pay</till-button>`, {
      headers: { 'content-security-policy': "frame-src 'none'" },
      before: async ({ clock }) => {
        await clock.install()
        await clock.pauseAt(Date.now() + 60_000)
      },
    })
    await pay(page).click()
    await page.waitForURL(`${here.service.payUrl}/pay/${id}`)
  })

  test('behavior: a payer who is offline stays in the shop, and pays with a second click', async () => {
    const { id } = await order()
    const { page, url } = await open(`<till-button order="${id}">Pay</till-button>`)
    await pay(page).waitFor()
    await page.context().setOffline(true)
    await pay(page).click()
    await until(async () => (await eventTypes(page)).includes('closed'))
    expect((await hostEvents(page)).find(({ type }) => type === 'error')?.detail).toMatchObject({ code: 'offline' })
    expect(page.url()).toBe(url)
    await page.context().setOffline(false)
    await pay(page).click()
    await isShown(page, 'dialog')
  })

  test.each([
    ['by itself', async () => {}],
    ['by a click', async (page: Page) => page.getByRole('button', { name: 'Erneut versuchen' }).click()],
  ])(
    'behavior: a connection that is lost while the frame loads is distinguished from a refusal, and the checkout goes on %s',
    async (how, act) => {
      const { id } = await order()
      let isDown = true
      const down = (route: { abort(): Promise<void>; continue(): Promise<void> }) => (isDown ? route.abort() : route.continue())
      const { page, url } = await open(
        `<till-button order="${id}">Pay</till-button><script>document.documentElement.lang = 'de-AT'</script>`,
      )
      await pay(page).hover()
      await page.locator('dialog iframe').waitFor({ state: 'attached' })
      await page.route(`${here.service.payUrl}/**`, down)
      await pay(page).click()
      await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor()
      expect((await hostEvents(page)).filter(({ type }) => type === 'error').map(({ detail }) => detail.code)).toEqual(['offline'])
      expect(page.url()).toBe(url)
      isDown = false
      if (how === 'by itself') await page.evaluate(() => dispatchEvent(new Event('online')))
      await act(page)
      await isShown(page, 'dialog')
    },
  )

  test('behavior: a script that takes long to come is waited for', async () => {
    const { id } = await order()
    const { page, url } = await open(`<till-button order="${id}">Pay</till-button>`, {
      before: (created) =>
        created.route(/\/assets\/host-/, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 6_000))
          await route.continue()
        }),
    })
    await pay(page).click()
    await until(async () => (await eventTypes(page)).includes('ready'))
    expect(page.url()).toBe(url)
    expect(await eventTypes(page)).not.toContain('error')
  })
})

describe('the history of the page', () => {
  test('behavior: what the payer does in a modal adds no entry, so Back leaves the shop', async () => {
    const { id } = await order()
    here.site.put('/before', '<!doctype html><p>Before')
    const { page } = await open(`<till-button order="${id}">Pay</till-button>`)
    const url = page.url()
    await page.goto(`${here.site.origin}/before`)
    await page.goto(url)
    const entries = await page.evaluate(() => history.length)
    await pay(page).click()
    await isShown(page, 'dialog')
    await page
      .frameLocator('dialog iframe')
      .getByRole('button', { name: /Send to address/ })
      .click()
    await page.frameLocator('dialog iframe').getByRole('heading', { name: /^Send/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => history.length)).toBe(entries)
    await page.goBack()
    await page.getByText('Before').waitFor()
  })
})

describe('the way in which the script is loaded', () => {
  test.each([
    ['an element with the id Till', '<details id="Till"></details><till-button order="ORDER">Pay</till-button>', undefined],
    ['a module', '<till-button order="ORDER">Pay</till-button>', 'type="module"'],
    [
      'a till-button of somebody else',
      '<script>customElements.define("till-button", class extends HTMLElement {})</script><till-checkout order="ORDER"></till-checkout>',
      undefined,
    ],
  ])('behavior: works with %s', async (_, body, attributes = 'async') => {
    const { id } = await order()
    // The list of events that every page keeps here would hide what an element does at window.Till.
    const page = await (await browser.context()).newPage()
    const url = here.site.put(
      `/${++pages}`,
      `<!doctype html>${body.replace('ORDER', id)}<script ${attributes} src="${here.service.payUrl}/till.js"></script>`,
    )
    await page.goto(url)
    if (body.includes('till-checkout')) return isShown(page, 'till-checkout')
    await pay(page).click()
    await isShown(page, 'dialog')
  })
})
