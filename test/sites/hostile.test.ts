import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints, eventLog, startMerchantSite, eventTypes, type MerchantSite } from '../support/browser/merchant-page.ts'
import { until } from '../support/wait.ts'

/** Strict hosts and lying hosts in a real browser, each on its own site. */

const here = useShopSite()
/** This origin differs only in its port, so a prefix comparison would accept it. */
let other: MerchantSite
const browser = useBrowser()

beforeAll(async () => {
  other = await startMerchantSite()
})
afterAll(() => other?.close())

const order = (settings: object = {}) => here.shop.order({ embed_origins: [here.site.origin], ...settings })
async function open(url: string) {
  const page = await (await browser.context()).newPage()
  const wrong = complaints(page)
  await page.goto(url)
  return { page, wrong }
}
const choose = (page: Page, of: string) =>
  page.frameLocator(`${of} iframe`).getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
let pages = 0
const plain = (body: string, on = here.site, headers?: Readonly<Record<string, string>>) =>
  on.put(
    `/${++pages}`,
    `<!doctype html><script>${eventLog}</script><script async src="${here.service.payUrl}/till.js"></script>${body}`,
    headers,
  )

const nonce = 'bWVyY2hhbnQ'
const policies = {
  'nonce, frame-src and nothing unsafe': (pay: string) =>
    `default-src 'none'; script-src 'nonce-${nonce}'; frame-src ${pay}; base-uri 'none'; form-action 'none'`,
  'a list of hosts': (pay: string) => `default-src 'self'; script-src 'nonce-${nonce}' ${pay}; frame-src ${pay}; style-src 'self'`,
  'strict-dynamic': (pay: string) =>
    `script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-src ${pay}; style-src 'none'`,
  'Trusted Types': (pay: string) =>
    `default-src 'none'; script-src 'nonce-${nonce}'; frame-src ${pay}; require-trusted-types-for 'script'; trusted-types 'none'`,
}

for (const [name, policy] of Object.entries(policies)) {
  test(`behavior: under a strict policy, ${name}: button, modal, inline`, async () => {
    const made = await order()
    const reports = here.site.reports.length
    const url = here.site.put(
      `/${++pages}`,
      `<!doctype html><script nonce="${nonce}">${eventLog}</script><script nonce="${nonce}" async src="${here.service.payUrl}/till.js"></script>
<till-checkout order="${made.id}"></till-checkout><till-button order="${made.id}" brand="#d9480f">Pay</till-button>`,
      { 'content-security-policy': `${policy(here.service.payUrl)}; report-uri /report` },
    )
    const { page, wrong } = await open(url)
    await choose(page, 'till-checkout')
    expect(
      await page.locator('till-button').evaluate((element) => getComputedStyle(element.shadowRoot!.querySelector('button')!).color),
    ).toMatch(/^color\(xyz|^rgb\(0, 0, 0\)/)
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await choose(page, 'dialog')
    expect(wrong).toEqual([])
    expect(here.site.reports.slice(reports)).toEqual([])
  })
}

const embedders: Record<string, Record<string, string>> = {
  'COEP require-corp': { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' },
  'COEP credentialless': { 'cross-origin-embedder-policy': 'credentialless', 'cross-origin-opener-policy': 'same-origin' },
  'COOP alone': { 'cross-origin-opener-policy': 'same-origin' },
}

for (const [name, headers] of Object.entries(embedders)) {
  test(`behavior: on a host with ${name}: inline, modal, and a popup without an opener`, async () => {
    const made = await order()
    const { page, wrong } = await open(
      plain(
        `<till-checkout order="${made.id}"></till-checkout><till-button order="${made.id}">Modal</till-button><till-button present="popup" order="${made.id}">Popup</till-button>`,
        here.site,
        headers,
      ),
    )
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(name !== 'COOP alone')
    await choose(page, 'till-checkout')
    await page.getByRole('button', { name: 'Modal', exact: true }).click()
    await choose(page, 'dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const before = (await eventTypes(page)).length
    const [popup] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('button', { name: 'Popup' }).click()])
    await popup.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
    // The opener policy makes the browser report the open popup as closed, and the button must ignore that.
    await page.waitForTimeout(1_500)
    expect((await eventTypes(page)).slice(before)).toEqual(['open'])
    expect(
      await page
        .locator('till-button')
        .last()
        .evaluate((element) => element.shadowRoot?.querySelector('button')?.ariaBusy),
    ).toBe('false')
    expect(wrong).toEqual([])
  })
}

test('error: a host that the order does not name is refused with a reason and sent to the full page', async () => {
  const made = await order()
  const { page } = await open(plain(`<till-button order="${made.id}">Pay</till-button>`, other))
  const sentence = page.waitForEvent('console', (message) => message.text().includes('settings.embed_origins'))
  await page.getByRole('button', { name: 'Pay' }).click()
  // The browser's own error page must never be visible.
  await page.getByRole('dialog').waitFor()
  expect(await page.locator('dialog iframe').evaluate((frame) => getComputedStyle(frame).visibility)).toBe('hidden')
  expect((await sentence).text()).toContain(other.origin)
  await page.waitForURL(`${here.service.payUrl}/pay/${made.id}`)
})

test('error: an inline frame on a refused host offers the full page on a click', async () => {
  const made = await order({ embed_origins: [] })
  const { page } = await open(plain(`<till-checkout order="${made.id}"></till-checkout>`))
  await page.getByRole('button', { name: 'Continue to checkout' }).click()
  await page.waitForURL(`${here.service.payUrl}/pay/${made.id}`)
})

test('error: a policy that forbids the frame leads to the full page too', async () => {
  const made = await order()
  const { page } = await open(
    plain(`<till-button order="${made.id}">Pay</till-button>`, here.site, { 'content-security-policy': "frame-src 'none'" }),
  )
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL(`${here.service.payUrl}/pay/${made.id}`)
})

test('behavior: response headers name the origins that may frame each page', async () => {
  const made = await order()
  const nobody = await order({ embed_origins: [] })
  const head = async (path: string) => (await fetch(here.service.payUrl + path)).headers
  const ancestors = (headers: Headers) => /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]
  expect(ancestors(await head(`/pay/${made.id}`))).toBe("'none'")
  expect(ancestors(await head(`/popup/${made.id}`))).toBe("'none'")
  const frame = await head(`/frame/${made.id}`)
  expect(ancestors(frame)).toBe(here.site.origin)
  expect(frame.get('x-frame-options')).toBe(null)
  expect(frame.get('cross-origin-embedder-policy')).toBe('credentialless')
  expect(frame.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(ancestors(await head(`/frame/${nobody.id}`))).toBe("'none'")
  expect((await head(`/frame/${nobody.id}`)).get('x-frame-options')).toBe('DENY')
  expect((await head(`/popup/${made.id}`)).get('cross-origin-opener-policy')).toBe('unsafe-none')
  const shell = await head('/frame')
  expect(ancestors(shell)).toBe('*')
  expect(shell.get('cache-control')).toContain('public')
  expect((await head('/till.js')).get('cross-origin-resource-policy')).toBe('cross-origin')
})

test('error: a site that has opened the page loses hold of its window, also after a reload', async () => {
  const made = await order()
  const { page } = await open(
    other.put(`/${++pages}`, `<!doctype html><button onclick="held = window.open('${here.service.payUrl}/pay/${made.id}')">Pay</button>`),
  )
  const [opened] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').click()])
  const lead = () =>
    page.evaluate(() => {
      const { held } = window as unknown as { held: Window }
      held.location.href = 'about:blank#led'
      return held.closed
    })
  await opened.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  expect(await lead()).toBe(true)
  await opened.reload()
  await opened.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  expect(await lead()).toBe(true)
  expect(await opened.evaluate(() => opener)).toBe(null)
  expect(opened.url()).toBe(`${here.service.payUrl}/pay/${made.id}`)
})

test('error: a window of a site that had the tab before loses hold of it, also if the payer typed the address', async () => {
  const made = await order()
  const waiting = other.put(`/${++pages}`, '<p>Waiting</p>')
  const { page } = await open(other.put(`/${++pages}`, `<!doctype html><button onclick="window.open('${waiting}')">Open</button>`))
  const [window2] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').click()])
  await window2.getByText('Waiting').waitFor()
  await page.goto(`${here.service.payUrl}/pay/${made.id}`)
  const held = await window2.evaluate(() => {
    const tab = opener as Window | null
    if (tab) tab.location.href = 'about:blank#led'
    return tab !== null && !tab.closed
  })
  expect(held).toBe(false)
  expect(page.url()).toBe(`${here.service.payUrl}/pay/${made.id}`)
})

test('error: a clickjacking frame shows nothing to click', async () => {
  const made = await order()
  for (const path of [`/pay/${made.id}`, `/popup/${made.id}`, `/frame/${made.id}`]) {
    const { page } = await open(
      other.put(`/${++pages}`, `<!doctype html><iframe src="${here.service.payUrl}${path}" style="opacity:.01"></iframe>`),
    )
    await page.waitForTimeout(500)
    expect(
      await page
        .frames()[1]
        ?.evaluate(() => document.querySelector('h1')?.textContent)
        .catch(() => undefined),
    ).toBeUndefined()
  }
})

test('error: a page framed by an allowed host inside a forbidden one is refused', async () => {
  const made = await order()
  const inner = plain(`<till-checkout order="${made.id}"></till-checkout>`)
  const { page } = await open(other.put(`/${++pages}`, `<!doctype html><iframe src="${inner}"></iframe>`))
  await page.frameLocator('iframe').getByRole('button', { name: 'Continue to checkout' }).waitFor()
})

test('behavior: a button inside a frame opens a window because a modal would be refused there', async () => {
  const made = await order()
  const inner = plain(`<till-button order="${made.id}">Pay</till-button>`)
  const { page, wrong } = await open(other.put(`/${++pages}`, `<!doctype html><iframe src="${inner}"></iframe>`))
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.frameLocator('iframe').getByRole('button', { name: 'Pay' }).click()])
  await popup.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  const frame = page.frames()[1]!
  await until(async () =>
    (await frame.evaluate(() => (window as unknown as { hostEvents: { type: string }[] }).hostEvents.map(({ type }) => type))).includes(
      'ready',
    ),
  )
  expect(wrong).toEqual([])
})

test('error: messages from other frames, other origins or of other shapes are ignored', async () => {
  const made = await order()
  const forger = other.put(
    `/${++pages}`,
    `<!doctype html><script>
      const lies = [{ till: 1, type: 'here' }, { type: 'paid', status: 'COMPLETED' }, { till: 1, type: 'paid', status: 'COMPLETED' }, 'paid', null]
      setInterval(() => { for (const lie of lies) for (const target of [parent, ...Array.from({ length: parent.length }, (_, at) => parent[at])]) target.postMessage(lie, '*') }, 50)
      addEventListener('message', (event) => { if (event.data?.type === 'hello') parent.postMessage('stolen', '*') })
    </script>`,
  )
  const { page, wrong } = await open(
    plain(
      `<script>window.stolen = 0; addEventListener('message', (event) => { if (event.data === 'stolen') stolen++ })</script><till-checkout order="${made.id}"></till-checkout><iframe src="${forger}"></iframe>`,
    ),
  )
  await choose(page, 'till-checkout')
  await until(async () => (await eventTypes(page)).includes('ready'))
  await page.waitForTimeout(500)
  expect(await eventTypes(page)).toEqual(['open', 'ready'])
  expect(await page.evaluate(() => (window as unknown as { stolen: number }).stolen)).toBe(0)
  expect(wrong).toEqual([])
})

test('error: a frame that navigated to another origin gets no messages', async () => {
  const made = await order()
  const impostor = other.put(
    `/${++pages}`,
    `<!doctype html><script>
      addEventListener('message', (event) => event.ports[0]?.postMessage({ type: 'paid', status: 'COMPLETED' }))
      setInterval(() => parent.postMessage({ till: 1, type: 'here' }, '*'), 50)
    </script>`,
  )
  const { page } = await open(plain(`<till-checkout order="${made.id}"></till-checkout>`))
  await choose(page, 'till-checkout')
  await page
    .locator('till-checkout iframe')
    .evaluate((frame, url) => (frame as HTMLIFrameElement).contentWindow!.location.replace(url), impostor)
  await until(() => page.evaluate(() => (window as unknown as { Till: { dropped: number } }).Till.dropped > 3))
  expect(await eventTypes(page)).not.toContain('paid')
})

test('error: our page accepts no port from an unknown origin, and no second port', async () => {
  const made = await order()
  const { page } = await open(plain(`<till-checkout order="${made.id}"></till-checkout>`))
  await choose(page, 'till-checkout')
  await until(async () => (await eventTypes(page)).includes('ready'))
  const answers = await page.evaluate(async () => {
    const frame = document.querySelector('till-checkout')!.shadowRoot!.querySelector('iframe')!
    const { port1, port2 } = new MessageChannel()
    let messages = 0
    port1.onmessage = () => messages++
    frame.contentWindow!.postMessage({ till: 1, type: 'hello', theme: 'dark' }, '*', [port2])
    await new Promise((resolve) => setTimeout(resolve, 500))
    return messages
  })
  expect(answers).toBe(0)
  expect(await page.frames()[1]!.evaluate(() => document.documentElement.dataset.theme)).toBeUndefined()
})

test('behavior: checkout works with storage blocked in the host and in the frame', async () => {
  const made = await order()
  const context = await browser.context()
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'] as const)
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
    Object.defineProperty(Document.prototype, 'cookie', {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      },
    })
  })
  const page = await context.newPage()
  const wrong = complaints(page)
  await page.goto(plain(`<till-checkout order="${made.id}"></till-checkout>`))
  const frame = page.frameLocator('till-checkout iframe')
  await frame.getByRole('button', { name: /Send to address/ }).click()
  await frame.getByRole('heading', { name: /Send 42\.50 USDC on Base/ }).waitFor()
  await until(async () => (await eventTypes(page)).includes('method'))
  expect(wrong).toEqual([])
})

test('behavior: a native app receives the events of the hosted page', async () => {
  const made = await order()
  const context = await browser.context()
  await context.addInitScript(() => {
    const messages: unknown[] = []
    Object.assign(window, {
      messages,
      ReactNativeWebView: { postMessage: (text: string) => messages.push(['reactNative', JSON.parse(text)]) },
      TillAndroid: { postMessage: (text: string) => messages.push(['android', JSON.parse(text)]) },
      webkit: { messageHandlers: { till: { postMessage: (message: object) => messages.push(['apple', message]) } } },
    })
  })
  const page = await context.newPage()
  await page.goto(made.hosted_url)
  await page.getByRole('button', { name: /Send to address/ }).click()
  const messages = () =>
    page.evaluate(() => (window as unknown as { messages: [string, { type: string; detail: { order: string } }][] }).messages)
  await until(async () => (await messages()).some(([, { type }]) => type === 'method'))
  for (const app of ['reactNative', 'android', 'apple']) {
    const types = (await messages()).filter(([name]) => name === app).map(([, { type }]) => type)
    expect(types).toContain('ready')
    expect(types).toContain('method')
  }
  expect((await messages())[0]?.[1].detail.order).toBe(made.id)
})
