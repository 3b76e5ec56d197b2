// @vitest-environment happy-dom
import { signal } from '@preact/signals'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
// The page loads this only to refuse an order. Here it is loaded before, so that no test waits for it.
import '../../src/check-order.tsx'
import { connectToHost } from '../../src/host.ts'
import type { AllWords } from '../../src/i18n/words.ts'
import type { Page } from '../../src/model/page.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

/** Our page's side of the embed protocol, without a browser. */

const shop = 'https://shop.example'
const hello = { till: 1, type: 'hello', theme: 'auto' }
const words = { t: (key: string) => `“${key}”`, rest: async () => {} } as unknown as AllWords

beforeEach(() => {
  document.body.innerHTML = '<div id="till"><a href="https://shop.example/thanks">Return</a><a data-host="top" href="/x">Full</a></div>'
  delete document.documentElement.dataset.theme
  delete document.documentElement.dataset.dropped
})

interface Setting {
  readonly hosts?: readonly string[]
  readonly surface?: 'page' | 'frame' | 'popup'
  readonly name?: string
  readonly bridges?: object
  readonly order?: OrderRead
  readonly awaitsHost?: true
}

function start({
  hosts = [shop],
  surface = 'frame',
  name = `till ${shop} 0.5`,
  bridges,
  order = orders.pending(),
  awaitsHost,
}: Setting = {}) {
  const other = { postMessage: vi.fn() }
  const win = Object.assign(new EventTarget(), { document, name, parent: other, opener: other, close: vi.fn(), ...bridges })
  const model = { order: signal(order), choice: signal<{ method?: string }>({}) }
  const boot = { hosts: surface === 'page' ? undefined : hosts, surface, order, awaitsHost, locale: 'en', now: 0, path: '' }
  const stop = connectToHost({ boot, checkout: model } as unknown as Page, words, win as unknown as Window)
  onTestFinished(stop)
  const post = (message: object) =>
    win.dispatchEvent(Object.assign(new Event('message'), { source: other, origin: shop, ports: [], ...message }))
  const port = () => ({ postMessage: vi.fn(), close: vi.fn(), onmessage: undefined as ((event: object) => void) | undefined })
  const connect = () => {
    const given = port()
    post({ data: hello, ports: [given] })
    return given
  }
  return { other, win, stop, post, port, connect, ...model }
}
type Port = ReturnType<ReturnType<typeof start>['connect']>
const messagesOn = (port: Port) => port.postMessage.mock.calls.map(([message]) => message as { type: string })
const types = (port: Port) => messagesOn(port).map(({ type }) => type)
const dropped = () => document.documentElement.dataset.dropped

test('default: announces itself to the origins that the order names, and answers a hello with words and ready', () => {
  const { other, connect } = start()
  expect(other.postMessage.mock.calls).toEqual([[{ till: 1, type: 'here' }, shop]])
  expect(messagesOn(connect())).toEqual([{ type: 'words', title: '“secureCheckout”', close: '“close”' }, { type: 'ready' }])
})

test.for([
  ['a name that names a stranger', { name: 'till https://shop.example.evil.test 0.5' }],
  ['a name of no form of ours', { name: 'https://shop.example' }],
  ['no name', { name: '' }],
  ['an order that nobody may embed', { hosts: [] }],
] as const)('error: %s: no message is sent', ([, setting]) => {
  const { other } = start(setting)
  expect(other.postMessage).not.toHaveBeenCalled()
})

test('error: a hello from another window, another origin, of another form, or without a port is dropped and counted', () => {
  const { post, port } = start()
  const stray = port()
  const forged = [
    { data: hello, ports: [stray], source: { postMessage() {} } },
    { data: hello, ports: [stray], origin: 'https://shop.example.evil.test' },
    { data: hello, ports: [stray], origin: 'http://shop.example' },
    { data: { ...hello, till: 2 }, ports: [stray] },
    { data: { ...hello, theme: 'blue' }, ports: [stray] },
    { data: 'hello', ports: [stray] },
    { data: hello },
  ]
  for (const message of forged) post(message)
  expect(stray.postMessage).not.toHaveBeenCalled()
  expect(dropped()).toBe(String(forged.length))
})

test('error: a second hello is ignored, and the first connection goes on', () => {
  const { connect, order } = start()
  const [first, second] = [connect(), connect()]
  order.value = orders.completed()
  expect(types(second)).toEqual([])
  expect(types(first)).toEqual(['words', 'ready', 'paid'])
  expect(dropped()).toBe('1')
})

test('behavior: messages of a wallet’s script to its own window are not counted', () => {
  const { post, win } = start()
  post({ data: { target: 'metamask-inpage' }, source: win, origin: location.origin })
  expect(dropped()).toBeUndefined()
})

test('behavior: each status is sent once with its amounts, and a late host gets the current one', () => {
  const { connect, order, choice } = start({ order: orders.partial() })
  const port = connect()
  expect(messagesOn(port).at(-1)).toMatchObject({ type: 'partial', status: 'PARTIAL_PAYMENT', again: true })
  order.value = { ...orders.partial() }
  order.value = orders.confirming()
  order.value = orders.unknownStatus()
  choice.value = { method: 'choose' }
  choice.value = { method: 'wallet' }
  choice.value = { method: 'wallet' }
  expect(types(port)).toEqual(['words', 'ready', 'partial', 'pending', 'method'])
})

test('behavior: the host’s theme is applied, and its other messages are dropped', () => {
  const { connect } = start()
  const port = connect()
  port.onmessage?.({ data: { type: 'theme', theme: 'dark' } })
  expect(document.documentElement.dataset.theme).toBe('dark')
  port.onmessage?.({ data: { type: 'theme', theme: 'auto' } })
  expect(document.documentElement.dataset.theme).toBeUndefined()
  port.onmessage?.({ data: { type: 'pay' } })
  expect(dropped()).toBe('1')
})

test('behavior: Escape requests a close unless an element of the page handled it', () => {
  const { connect, win } = start()
  const port = connect()
  win.dispatchEvent(Object.assign(new Event('keydown'), { key: 'Escape' }))
  const taken = Object.assign(new Event('keydown', { cancelable: true }), { key: 'Escape' })
  taken.preventDefault()
  win.dispatchEvent(taken)
  expect(types(port).filter((type) => type === 'close')).toHaveLength(1)
})

function click(selector: string) {
  const event = new MouseEvent('click', { bubbles: true, cancelable: true })
  document.querySelector(selector)?.dispatchEvent(event)
  return event
}

test('behavior: inside a host the host opens the full page, and without one the link navigates', () => {
  const { connect } = start()
  expect(click('[data-host]').defaultPrevented).toBe(false)
  const port = connect()
  expect(click('[data-host]').defaultPrevented).toBe(true)
  expect(types(port).at(-1)).toBe('top')
})

const returning: OrderRead = {
  ...orders.completed(),
  settings: { ...orders.completed().settings, return_url: 'https://shop.example/thanks' },
}

test('behavior: the return link closes a popup, whose shop is behind it, and no other click does', () => {
  const { win } = start({ surface: 'popup', order: returning })
  click('#till')
  click('[data-host]')
  expect(win.close).not.toHaveBeenCalled()
  expect(click('a').defaultPrevented).toBe(true)
  expect(win.close).toHaveBeenCalledOnce()
})

test('behavior: an app receives the hosted page’s events by its bridge, and the return link navigates', () => {
  const reactNative = { postMessage: vi.fn() }
  const { order, other } = start({ surface: 'page', order: returning, bridges: { ReactNativeWebView: reactNative } })
  order.value = { ...returning, status: 'REFUNDED' }
  expect(click('a').defaultPrevented).toBe(false)
  const posted = reactNative.postMessage.mock.calls.map(([text]) => JSON.parse(String(text)) as { type: string; detail: object })
  expect(posted.map(({ type }) => type)).toEqual(['paid', 'ready', 'refunded', 'close'])
  expect(posted[2]).toMatchObject({ till: 1, detail: { order: returning.id, status: 'REFUNDED' } })
  expect(other.postMessage).not.toHaveBeenCalled()
})

test('behavior: after its stop it neither receives nor sends, and its port is closed', () => {
  const { connect, post, port, stop, order } = start()
  const connected = connect()
  stop()
  order.value = orders.completed()
  const late = port()
  post({ data: hello, ports: [late] })
  expect(types(connected)).toEqual(['words', 'ready'])
  expect(late.postMessage).not.toHaveBeenCalled()
  expect(connected.close).toHaveBeenCalledOnce()
})

const isHidden = () => document.getElementById('till')!.hasAttribute('data-awaits-host')

test('behavior: a page that awaits its host sends the order, and nothing else, before the verdict', () => {
  document.getElementById('till')!.setAttribute('data-awaits-host', '')
  const { connect, order } = start({ awaitsHost: true, order: orders.awaiting() })
  const port = connect()
  expect(types(port)).toEqual(['words', 'check'])
  order.value = orders.confirming()
  expect(types(port)).toEqual(['words', 'check'])
  expect(isHidden()).toBe(true)
  port.onmessage!({ data: { type: 'checked', ok: true } })
  expect(types(port)).toEqual(['words', 'check', 'ready', 'pending'])
  expect(isHidden()).toBe(false)
  port.onmessage!({ data: { type: 'checked', ok: false } })
  expect(types(port)).toEqual(['words', 'check', 'ready', 'pending'])
})

test.for(['a verdict that refuses it', 'no verdict in time'])(
  'error: after %s the order is gone, the host gets an error instead of `ready`, and no status or later verdict is sent or taken',
  async (how) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    document.getElementById('till')!.setAttribute('data-awaits-host', '')
    const { connect, order } = start({ awaitsHost: true, order: orders.awaiting() })
    const port = connect()
    if (how === 'no verdict in time') vi.advanceTimersByTime(15_000)
    else port.onmessage!({ data: { type: 'checked', ok: false } })
    await vi.waitFor(() => expect(types(port)).toContain('error'), { timeout: 60_000 })
    expect(messagesOn(port).at(-1)).toMatchObject({ type: 'error', code: 'unverified' })
    const isRefused = () => document.getElementById('till')!.textContent.includes('“untrueTitle”')
    await vi.waitFor(() => expect(isRefused()).toBe(true), { timeout: 60_000 })
    expect(isHidden()).toBe(false)
    port.onmessage!({ data: { type: 'checked', ok: true } })
    order.value = orders.completed()
    expect(types(port)).toEqual(['words', 'check', 'error'])
    expect(isRefused()).toBe(true)
  },
)

test('error: a host that connects after the time-out learns that the order is refused, and is asked nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { connect } = start({ awaitsHost: true })
  vi.advanceTimersByTime(15_000)
  await vi.waitFor(() => expect(document.getElementById('till')!.textContent).toContain('“untrueTitle”'), { timeout: 60_000 })
  expect(types(connect())).toEqual(['words', 'error'])
})
