import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServedOrder } from '../../server/pages/order-source.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { complaints, eventLog, hostEvents, startMerchantSite, eventTypes, type MerchantSite } from '../support/browser/merchant-page.ts'
import * as orders from '../support/orders/orders.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import { until } from '../support/wait.ts'

/**
 * Every event that a host can receive, including those that take a service days to reach, and hosts that mount and unmount. The recorded
 * service has no socket, so browsers log a connection error that is not the page's fault.
 */

const browser = useBrowser()
const known = new Map<string, ServedOrder>()
let till: Awaited<ReturnType<typeof startRecordedPages>>
let site: MerchantSite

beforeAll(async () => {
  ;[till, site] = await Promise.all([startRecordedPages(known), startMerchantSite()])
})
afterAll(() => Promise.all([till?.close(), site?.close()]))

let changes = 0
function put(id: string, order: ServedOrder) {
  const updated_at = new Date(orders.recordedNow + ++changes * 1_000).toISOString()
  known.set(id, { ...order, id, updated_at, settings: { ...order.settings!, embed_origins: [site.origin] } })
  return updated_at
}
async function open(body: string) {
  const page = await (await browser.context()).newPage()
  const wrong = complaints(page)
  await page.goto(site.put('/', `<!doctype html><script>${eventLog}</script><script async src="${till.url}/till.js"></script>${body}`))
  return { page, wrong }
}
const statuses = async (page: Page) => (await eventTypes(page)).filter((type) => /pending|partial|paid|expired|failed|refunded/.test(type))

const walks: Record<string, [make: () => ServedOrder, event: string | undefined][]> = {
  'to the end': [
    [orders.awaiting, undefined],
    [orders.confirming, 'pending'],
    [() => orders.confirming(9), undefined],
    [() => ({ ...orders.confirming(12), status: 'OPTIMISTIC_CONFIRMED' }), 'pending'],
    [orders.executing, undefined],
    [orders.completed, 'paid'],
  ],
  'through everything that can go wrong': [
    [orders.partial, 'partial'],
    [orders.awaiting, undefined],
    [orders.partial, 'partial'],
    [orders.expired, 'expired'],
    [orders.unknownStatus, undefined],
    [orders.failedEmpty, 'failed'],
    [orders.refunded, 'refunded'],
  ],
}

for (const [name, walk] of Object.entries(walks)) {
  test(`behavior: each status is reported once, when it is entered: ${name}`, async () => {
    put('walk', orders.pending())
    const { page } = await open('<till-checkout order="walk"></till-checkout>')
    await until(async () => (await eventTypes(page)).includes('ready'))
    const expected: string[] = []
    for (const [make, event] of walk) {
      const updatedAt = put('walk', make())
      if (event) expected.push(event)
      // A page that wakes up reads the order at once. What it read before it must not pass for that.
      const refetch = page.waitForResponse(
        async (response) => response.url().includes('/v3/orders/walk') && (await response.text()).includes(updatedAt),
      )
      await page.frames()[1]!.evaluate(() => dispatchEvent(new Event('online')))
      await refetch
      await until(async () => (await statuses(page)).join() === expected.join())
    }
    // A reloaded frame reports the current status without repeating earlier events.
    await page.frames()[1]!.evaluate(() => location.reload())
    await until(async () => (await eventTypes(page)).filter((type) => type === 'ready').length === 2)
    await page.waitForTimeout(300)
    expect(await statuses(page)).toEqual(expected)
  })
}

test('behavior: events reach the element and Till, and a promise resolves', async () => {
  put('done', orders.completed())
  const { page, wrong } = await open('<till-button order="done">Pay</till-button>')
  await page.evaluate(() => {
    const button = document.querySelector('till-button')!
    const all: unknown[] = []
    Object.assign(window, { all })
    button.addEventListener('open', () => button.session?.result.then((result) => all.push(['result', result])))
    button.addEventListener('paid', (event) => all.push(['element', event.detail, event.bubbles]))
  })
  await page.getByRole('button', { name: 'Pay' }).click()
  const all = () => page.evaluate(() => (window as unknown as { all: unknown[] }).all)
  await until(async () => (await all()).length === 2)
  const detail = { order: 'done', status: 'COMPLETED', received: '42.50', remaining: '0' }
  expect(await all()).toEqual([
    ['element', detail, false],
    ['result', { type: 'paid', ...detail }],
  ])
  expect((await hostEvents(page)).find(({ type }) => type === 'paid')?.detail).toEqual(detail)
  expect(wrong.filter((complaint) => !complaint.includes('WebSocket'))).toEqual([])
})

test('behavior: the page takes the merchant’s theme on its first paint and when it changes', async () => {
  put('themed', orders.pending())
  const { page } = await open('<till-checkout order="themed" theme="dark"></till-checkout>')
  await until(async () => (await eventTypes(page)).includes('ready'))
  const theme = () => page.frames()[1]!.evaluate(() => document.documentElement.dataset.theme)
  expect(await theme()).toBe('dark')
  await page.locator('till-checkout').evaluate((element) => element.setAttribute('theme', 'light'))
  await until(async () => (await theme()) === 'light')
  await page.locator('till-checkout').evaluate((element) => element.removeAttribute('theme'))
  await until(async () => (await theme()) === undefined)
})

test('behavior: another order in the same element is another checkout, and removal while loading leaves nothing', async () => {
  put('one', orders.pending())
  put('two', orders.awaiting())
  const { page, wrong } = await open('<till-checkout order="one"></till-checkout>')
  await until(async () => (await eventTypes(page)).includes('ready'))
  await page.locator('till-checkout').evaluate((element) => element.setAttribute('order', 'two'))
  await until(async () => (await hostEvents(page)).some(({ type, detail }) => type === 'ready' && detail.order === 'two'))
  await page.locator('till-checkout').evaluate((element) => {
    element.setAttribute('order', 'one')
    element.remove()
  })
  await until(() => page.frames().length === 1)
  const before = (await hostEvents(page)).length
  await page.waitForTimeout(500)
  expect((await hostEvents(page)).length).toBe(before)
  expect(wrong.filter((complaint) => !complaint.includes('WebSocket'))).toEqual([])
})

test('behavior: a page restored from the back-forward cache has its button again', async () => {
  const { page } = await open('<till-button present="redirect">Pay</till-button>')
  await page.evaluate(() => {
    document.querySelector('till-button')!.order = () => new Promise(() => {})
  })
  await page.getByRole('button', { name: 'Pay' }).click()
  const busy = () => page.locator('till-button').evaluate((element) => element.shadowRoot?.querySelector('button')?.ariaBusy)
  expect(await busy()).toBe('true')
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  expect(await busy()).toBe('false')
  expect(await eventTypes(page)).toEqual(['open', 'closed'])
})

test('behavior: without the frame script, a modal becomes the full page', async () => {
  put('alone', orders.pending())
  const context = await browser.context()
  await context.route('**/till-frames-*', (route) => route.abort())
  const page = await context.newPage()
  await page.goto(
    site.put('/', `<!doctype html><script async src="${till.url}/till.js"></script><till-button order="alone">Pay</till-button>`),
  )
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL(`${till.url}/pay/alone`)
})

test('behavior: a router that replaces the body keeps the prepared frame, which the next click opens', async () => {
  put('swapped', orders.pending())
  const body = '<till-button order="swapped">Pay</till-button>'
  const { page, wrong } = await open(body)
  const pay = page.getByRole('button', { name: 'Pay' })
  const swap = () =>
    page.evaluate((html) => {
      const next = document.createElement('body')
      next.innerHTML = html
      document.body.replaceWith(next)
    }, body)
  await pay.hover()
  await until(() => page.frames().length === 2)
  const prepared = page.frames()[1]
  await swap()
  await pay.dispatchEvent('pointerenter')
  await swap()
  await page.evaluate(() => document.querySelector('till-button')!.shadowRoot!.querySelector('button')!.click())
  await page.frameLocator('dialog iframe').getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  await until(async () => (await eventTypes(page)).join() === 'open,ready')
  expect(page.frames()[1]).toBe(prepared)
  expect((await hostEvents(page))[0]).toEqual({ type: 'open', detail: { order: 'swapped', presentation: 'modal' } })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await until(() => page.frames().length === 1)
  expect(await eventTypes(page)).toEqual(['open', 'ready', 'closed'])
  expect(wrong.filter((complaint) => !complaint.includes('WebSocket'))).toEqual([])
})

test('error: a modal that cannot open becomes the full page and leaves nothing behind', async () => {
  put('ord_not_shown_in_a_modal', orders.pending())
  const { page, wrong } = await open('<till-button>Pay</till-button>')
  await page.evaluate(() => {
    HTMLDialogElement.prototype.showModal = () => {
      throw new DOMException('not now', 'InvalidStateError')
    }
    document.querySelector('till-button')!.order = () => new Promise((give) => Object.assign(window, { give }))
  })
  await page.getByRole('button', { name: 'Pay' }).click()
  await until(async () => (await eventTypes(page)).length === 1)
  expect((await hostEvents(page))[0]?.detail).toMatchObject({ presentation: 'redirect' })
  expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0)
  await page.evaluate(() => (window as unknown as { give(id: string): void }).give('ord_not_shown_in_a_modal'))
  await page.waitForURL(`${till.url}/pay/ord_not_shown_in_a_modal`)
  expect(wrong.filter((complaint) => !complaint.includes('WebSocket'))).toEqual([])
})

test('behavior: a framework that passes a new function on each render makes one order and keeps its frame', async () => {
  put('ord_made_by_a_function', orders.pending())
  put('next', orders.awaiting())
  const { page, wrong } = await open('<till-checkout></till-checkout>')
  /** A render passes a new function each time. */
  const render = (name: string) =>
    page.evaluate((name) => {
      const all = ((window as unknown as { calls?: string[] }).calls ??= [])
      document.querySelector('till-checkout')!.order = () => {
        all.push(name)
        return new Promise((give) => Object.assign(window, { give }))
      }
    }, name)
  const calls = () => page.evaluate(() => (window as unknown as { calls: string[] }).calls)
  const give = (id: string) => page.evaluate((id) => (window as unknown as { give(id: string): void }).give(id), id)
  const readyFor = (id: string) =>
    until(async () => (await hostEvents(page)).some(({ type, detail }) => type === 'ready' && detail.order === id))
  await render('first')
  await render('while it is made')
  await give('ord_made_by_a_function')
  await readyFor('ord_made_by_a_function')
  const frame = page.frames()[1]!
  await frame.evaluate(() => Object.assign(window, { kept: true }))
  await render('while it is shown')
  await page.evaluate(() => {
    document.querySelector('till-checkout')!.order = 'ord_made_by_a_function'
  })
  expect(await calls()).toEqual(['first'])
  expect(await eventTypes(page)).toEqual(['open', 'ready'])
  expect(await frame.evaluate(() => 'kept' in window)).toBe(true)
  await page.evaluate(() => {
    document.querySelector('till-checkout')!.order = 'next'
  })
  await readyFor('next')
  expect(await eventTypes(page)).toEqual(['open', 'ready', 'closed', 'open', 'ready'])
  expect(wrong.filter((complaint) => !complaint.includes('WebSocket'))).toEqual([])
})

test('behavior: a re-inserted element starts with the latest function it was given', async () => {
  const { page } = await open('<till-checkout></till-checkout>')
  const calls = await page.evaluate(() => {
    const all: string[] = []
    const make = (name: string) => () => {
      all.push(name)
      return new Promise<string>(() => {})
    }
    const element = document.querySelector('till-checkout')!
    element.order = make('first')
    element.order = make('second')
    element.order = make('third')
    element.remove()
    document.body.append(element)
    return all
  })
  expect(calls).toEqual(['first', 'third'])
})

test('behavior: the same id is the same checkout, also when the page around the element is rewritten', async () => {
  put('same', orders.pending())
  const { page } = await open('<div></div>')
  await page.evaluate(() => {
    document.querySelector('div')!.innerHTML = '<till-checkout order="same"></till-checkout>'
    const element = document.querySelector('till-checkout')!
    element.setAttribute('order', 'same')
    element.order = 'same'
  })
  await until(async () => (await eventTypes(page)).includes('ready'))
  await page.evaluate(() => document.querySelector('till-checkout')!.setAttribute('order', 'same'))
  expect(await eventTypes(page)).toEqual(['open', 'ready'])
})

test('behavior: an element removed when its order ends makes no other order', async () => {
  put('mounted', orders.pending())
  const { page } = await open('<div></div>')
  await until(() => page.evaluate(() => window.Till !== undefined && 'open' in window.Till))
  const calls = await page.evaluate(() => {
    const { Till } = window
    if (!Till || !('mount' in Till)) throw new Error('not loaded')
    Till.mount(document.querySelector('div')!, { order: 'mounted' })
    let made = 0
    document.querySelector('till-checkout')!.order = () => `made ${++made}`
    return { made, left: document.querySelector('till-checkout') !== null }
  })
  expect(calls).toEqual({ made: 0, left: false })
  expect(await eventTypes(page)).toEqual(['closed'])
})
