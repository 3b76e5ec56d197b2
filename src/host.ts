import {
  hostOf,
  isHelloMessage,
  isHostMessage,
  version,
  type HereMessage,
  type PageMessage,
  type StatusEvent,
  type Theme,
} from '../embed/protocol.ts'
import type { AllWords } from './i18n/words.ts'
import type { Page } from './model/page.ts'
import type { OrderRead } from './wire/order-read.ts'

/** A host that checks the order answers at once, after it has loaded 5 kB. */
const checkMs = 15_000

/** Reports events to the page that framed or opened this one (protocol.ts), and to a native app. No other window receives anything. */
export const connectToHost = (page: Page, words: AllWords, win: Window = window): (() => void) => {
  const ended = new AbortController()
  const { signal } = ended
  const { hosts, surface, awaitsHost, order: sent, factory } = page.boot
  const app = bridgeOf(win, sent.id)
  if (!app && !hosts) return () => {}
  const { order } = page.checkout
  let port: MessagePort | undefined
  let height = 0
  let dropped = 0
  // Dropped messages are counted in an attribute, where an integrator can see that something is misconfigured.
  const drop = () => {
    win.document.documentElement.dataset.dropped = String(++dropped)
  }
  const post = (message: PageMessage) => {
    port?.postMessage(message)
    app?.(message)
  }
  /** A host gets no status of an order that it has not checked. */
  let isExpected = awaitsHost ? undefined : true
  const report = () => {
    if (isExpected === undefined) return port?.postMessage({ type: 'check', order: sent, factory } satisfies PageMessage)
    if (!isExpected) return post({ type: 'error', code: 'unverified', message: 'the order might pay somebody else' })
    post({ type: 'ready' })
    const now = statusOf(order.peek())
    if (now) post({ ...now, again: true })
  }
  /** The first verdict stands, because a host may answer after the time-out. */
  const takeVerdict = async (ok: boolean) => {
    if (isExpected !== undefined) return
    isExpected = ok
    report()
    if (!ok) (await import('./check-order.tsx')).refuseOrder(page, words)
    win.document.getElementById('till')?.removeAttribute('data-awaits-host')
  }
  const timer = awaitsHost && setTimeout(takeVerdict, checkMs, false)

  const stops = [
    order.subscribe(statusPoster((message) => isExpected && post(message))),
    page.checkout.choice.subscribe(methodPoster(post)),
    measure(win, (now) => {
      if (now === height) return
      height = now
      post({ type: 'resize', height })
    }),
  ]
  win.addEventListener('keydown', (event) => event.key === 'Escape' && !event.defaultPrevented && post({ type: 'close' }), { signal })
  const other = surface === 'popup' ? (win.opener as Window | null) : win.parent
  if (hosts && other && other !== win) {
    win.addEventListener(
      'message',
      ({ source, origin, data, ports }: MessageEvent) => {
        const [given] = ports
        // Wallet extensions post messages to the page's own window, which are not meant for us and not counted.
        if (source === win) return
        if (port || source !== other || !hosts.includes(origin) || !isHelloMessage(data) || !given) return drop()
        port = given
        port.onmessage = ({ data }) => {
          if (!isHostMessage(data)) drop()
          else if (data.type === 'theme') applyTheme(win, data.theme)
          else void takeVerdict(data.ok)
        }
        applyTheme(win, data.theme)
        if (height) post({ type: 'resize', height })
        port.postMessage({ type: 'words', title: words.t('secureCheckout'), close: words.t('close') } satisfies PageMessage)
        report()
      },
      { signal },
    )
    const host = hostOf(win.name)
    // Only an origin that may embed the order may learn that this page has loaded.
    if (host && hosts.includes(host)) other.postMessage({ till: version, type: 'here' } satisfies HereMessage, host)
    onLink(win, signal, (link, event) => {
      if (surface === 'popup') {
        // The shop is still open behind the popup, so the link back closes the popup instead of loading the shop in it.
        if (!isReturn(link, order.peek())) return
        win.close()
      } else {
        // The host opens the full page itself, so that it can fall back to the whole tab. Without a connected host the plain link works.
        if (!port || link.dataset.host !== 'top') return
        port.postMessage({ type: 'top' } satisfies PageMessage)
      }
      event.preventDefault()
    })
  }
  if (app) {
    // The app may close its webview now. If it does not, the link leads back to the shop as usual.
    onLink(win, signal, (link) => isReturn(link, order.peek()) && app({ type: 'close' }))
    app({ type: 'ready' })
  }
  return () => {
    clearTimeout(timer)
    ended.abort()
    for (const stop of stops) stop()
    port?.close()
  }
}

const statuses: Readonly<Record<string, StatusEvent>> = {
  AWAITING_CONFIRMATION: 'pending',
  OPTIMISTIC_CONFIRMED: 'pending',
  PARTIAL_PAYMENT: 'partial',
  COMPLETED: 'paid',
  EXPIRED: 'expired',
  FAILED: 'failed',
  REFUNDED: 'refunded',
}

const statusOf = ({ status, payment }: OrderRead) => {
  const type = Object.hasOwn(statuses, status) ? statuses[status] : undefined
  return type && { type, status, received: payment?.funding?.received_amount?.ui, remaining: payment?.funding?.remaining_amount?.ui }
}

/** Posts a status when the order enters it, and the one with which the page starts. Not every status has a message. */
const statusPoster = (post: (message: PageMessage) => void) => {
  let last = ''
  return (order: OrderRead) => {
    const message = order.status === last ? undefined : statusOf(order)
    last = order.status
    if (message) post(message)
  }
}

const methodPoster = (post: (message: PageMessage) => void) => {
  let last: string | undefined
  return ({ method }: { readonly method?: string }) => {
    if (method && method !== 'choose' && method !== last) post({ type: 'method', method })
    last = method
  }
}

const applyTheme = ({ document }: Window, theme: Theme): void => {
  if (theme === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** Measures the content and not the document, which is never lower than its frame, so that the frame can also shrink. */
const measure = ({ document }: Window, post: (height: number) => void): (() => void) => {
  const root = document.getElementById('till')
  if (!root) return () => {}
  const observer = new ResizeObserver(() => post(Math.ceil(root.getBoundingClientRect().height)))
  observer.observe(root)
  return () => observer.disconnect()
}

/** Calls the function when a link is clicked. */
const onLink = ({ document }: Window, signal: AbortSignal, run: (link: HTMLAnchorElement, event: Event) => void): void =>
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element && event.target.closest('a')
      if (link) run(link, event)
    },
    { signal },
  )

/** Recognises the link back to the shop by its URL, because several screens have one. */
const isReturn = (link: HTMLAnchorElement, { settings }: OrderRead): boolean => link.getAttribute('href') === settings?.return_url

interface Bridges {
  readonly ReactNativeWebView?: { postMessage(text: string): void }
  readonly webkit?: { readonly messageHandlers?: { readonly till?: { postMessage(message: object): void } } }
  readonly TillAndroid?: { postMessage(text: string): void }
}

/** A native app injects one of these into its webview. It needs no handshake, because the app controls the whole page anyway. */
const bridgeOf = (win: Window & Bridges, order: string): ((message: PageMessage) => void) | undefined => {
  const { ReactNativeWebView: reactNative, TillAndroid: android, webkit } = win
  const apple = webkit?.messageHandlers?.till
  if (!reactNative && !android && !apple) return undefined
  return ({ type, ...detail }) => {
    const message = { till: version, type, detail: { ...detail, order } }
    const text = JSON.stringify(message)
    // These bridges are not windows, so their postMessage has no target origin.
    // oxlint-disable unicorn/require-post-message-target-origin
    reactNative?.postMessage(text)
    android?.postMessage(text)
    apple?.postMessage(message)
    // oxlint-enable unicorn/require-post-message-target-origin
  }
}
