import { hostOf, isHello, isHostMessage, version, type Here, type PageMessage, type StatusEvent, type Theme } from '../embed/protocol.ts'
import type { Words } from './i18n/words.ts'
import type { Page } from './model/page.ts'
import type { OrderRead } from './wire/order-read.ts'

/**
 * Reports what happens on this page to whoever embeds it: to the page that framed it or opened it as a popup, after the handshake in
 * protocol.ts, and to the native app that shows it in a webview. Nobody else gets a message. Returns a function that stops it.
 */
export const startHost = (page: Page, words: Words, win: Window = window): (() => void) => {
  const ended = new AbortController()
  const { signal } = ended
  const app = bridgeOf(win)
  const { hosts, surface } = page.boot
  if (!app && !hosts) return () => {}
  const { order } = page.checkout
  let port: MessagePort | undefined
  let height = 0
  let dropped = 0
  // Messages that are not in the protocol or come from an origin that is not allowed are counted where an integrator can see it.
  const drop = () => {
    win.document.documentElement.dataset.dropped = String(++dropped)
  }
  const post = (message: PageMessage) => {
    port?.postMessage(message)
    app?.(message, page.boot.order.id)
  }

  const listen = (other: Window, hosts: readonly string[]) => {
    win.addEventListener(
      'message',
      ({ source, origin, data, ports }: MessageEvent) => {
        const [given] = ports
        // Wallet extensions post messages to the page's own window. They are not meant for us, so they are not counted.
        if (source === win) return
        if (port || source !== other || !hosts.includes(origin) || !isHello(data) || !given) return drop()
        port = given
        port.onmessage = ({ data }) => (isHostMessage(data) ? dress(win, data.theme) : drop())
        dress(win, data.theme)
        const now = statusOf(order.peek())
        if (height > 0) post({ type: 'resize', height })
        port.postMessage({ type: 'words', title: words.t('secureCheckout'), close: words.t('close') } satisfies PageMessage)
        post({ type: 'ready' })
        if (now) post({ ...now, again: true })
      },
      { signal },
    )
    const host = hostOf(win.name)
    // This goes only to an origin that the order names, so that no other learns that this page is here.
    if (host !== undefined && hosts.includes(host)) other.postMessage({ till: version, type: 'here' } satisfies Here, host)
  }

  const stops = [
    order.subscribe(statusPoster(post)),
    page.checkout.choice.subscribe(methodPoster(post)),
    measure(win, (now) => {
      height = now
      post({ type: 'resize', height })
    }),
  ]
  win.addEventListener('keydown', (event) => event.key === 'Escape' && !event.defaultPrevented && post({ type: 'close' }), { signal })
  const other = surface === 'popup' ? (win.opener as Window | null) : win.parent
  if (hosts && other && other !== win) {
    listen(other, hosts)
    // The shop is already open behind this window, so closing it is enough.
    if (surface === 'popup')
      onReturn(win, page, signal, (event) => {
        event.preventDefault()
        win.close()
      })
    else openOnTop(win, () => port, signal)
  }
  if (app) {
    // The app is notified and may take over from here; the link is followed anyway.
    onReturn(win, page, signal, () => app({ type: 'close' }, page.boot.order.id))
    app({ type: 'ready' }, page.boot.order.id)
  }
  return () => {
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

/** Reports each status once when the order enters it, including the one it starts with. */
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

const dress = ({ document }: Window, theme: Theme): void => {
  if (theme === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** Measures the content and not the frame around it, so that the height can shrink as well as grow. */
const measure = ({ document }: Window, post: (height: number) => void): (() => void) => {
  const root = document.getElementById('till')
  if (!root) return () => {}
  let last = 0
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height)
    if (height === last) return
    last = height
    post(height)
  })
  observer.observe(root)
  return () => observer.disconnect()
}

/** Lets the host open the full page itself, so that it knows about it. Without a host it is a plain link. */
const openOnTop = (win: Window, currentPort: () => MessagePort | undefined, signal: AbortSignal): void =>
  win.document.addEventListener(
    'click',
    (event) => {
      const link = linkOf(event)
      const port = currentPort()
      if (!port || link?.dataset.host !== 'top') return
      event.preventDefault()
      port.postMessage({ type: 'top' } satisfies PageMessage)
    },
    { signal },
  )

const linkOf = ({ target }: Event): HTMLAnchorElement | null => (target instanceof Element ? target.closest('a') : null)

/** Calls `run` when the payer follows the link back to the shop. */
const onReturn = (win: Window, { checkout }: Page, signal: AbortSignal, run: (event: Event) => void): void =>
  win.document.addEventListener(
    'click',
    (event) => {
      const link = linkOf(event)
      if (link && link.getAttribute('href') === checkout.order.peek().settings?.return_url) run(event)
    },
    { signal },
  )

interface Bridges {
  readonly ReactNativeWebView?: { postMessage(text: string): void }
  readonly webkit?: { readonly messageHandlers?: { readonly till?: { postMessage(message: object): void } } }
  readonly TillAndroid?: { postMessage(text: string): void }
}

/** A native app puts one of these into its webview. It needs no handshake, because the app controls the whole page anyway. */
const bridgeOf = (win: Window & Bridges): ((message: PageMessage, order: string) => void) | undefined => {
  const { ReactNativeWebView: reactNative, TillAndroid: android, webkit } = win
  const apple = webkit?.messageHandlers?.till
  if (!reactNative && !android && !apple) return undefined
  return ({ type, ...detail }, order) => {
    const message = { till: version, type, detail: { ...detail, order } }
    const text = JSON.stringify(message)
    // These are not windows, so there is no target origin to name.
    // oxlint-disable unicorn/require-post-message-target-origin
    reactNative?.postMessage(text)
    android?.postMessage(text)
    apple?.postMessage(message)
    // oxlint-enable unicorn/require-post-message-target-origin
  }
}
