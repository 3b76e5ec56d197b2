/**
 * This is the protocol between a merchant's page (the host) and our page (in a frame, or in a window that the host opened).
 *
 * Requirements
 *
 * 1. Our page sends nothing to a window that may not embed the order. The origins that may are in the order's `settings.embed_origins`, or
 *    in the operator's list if the order has none.
 * 2. The host accepts messages only from our page, not from a similar origin or from another frame of the same page.
 * 3. No message is ever sent to `*`, and origins are only compared as a whole.
 * 4. Messages from the other side that this file does not define are dropped and counted.
 * 5. The host treats messages as hints. A merchant ships only after the signed webhook.
 * 6. A host that knows its recipients (`expect`) checks the order before the payer sees anything of it. Without its verdict nothing is shown. A verdict counts
 *    only for the document whose order the host has checked, and what a document that it has not accepted says of the order is no event.
 * 7. The handshake works again after our page reloads, changes its language, or comes back from the back-forward cache.
 *
 * Steps
 *
 * 1. The host creates the frame or the window with a name that contains the host's origin: `windowName()`.
 * 2. A frame says `alive` to the origin of its name as soon as its HTML is there, which only an origin that may frame it can receive.
 *    Our page reads the name. If that origin is in the order's list, it posts `here` to it, which carries no data.
 * 3. The host checks that the message came from that window and from our exact origin, creates a MessageChannel, and posts `hello`
 *    with one of its ports to our exact origin.
 * 4. Our page accepts the first `hello` whose `source` is its parent (or opener) and whose `origin` is in the order's list, and drops any
 *    other. From then on both use only the port, to which nobody else has access.
 * 5. Our page posts `words` and `ready`, and each `PageMessage` as it happens. The host posts `HostMessage`s.
 * 6. At a path that says that the host checks the order, our page posts `check` instead of `ready`, and shows nothing. The host posts
 *    `checked`, and only then our page shows itself and posts `ready`. If the host refuses the order, or no verdict comes in time, our page
 *    posts `error` instead, shows that the order cannot be paid, and ignores later verdicts.
 * 7. A reloaded page starts again at step 2, and the host then closes the old port. The host closes the last port when the session ends.
 */
export const version = 1

/** src/host.ts maps the API's statuses to these. A status to which a host need not react has none. */
export type StatusEvent = 'pending' | 'partial' | 'paid' | 'expired' | 'failed' | 'refunded'

export type PageMessage = FrameMessage | ControlMessage | CheckMessage

/** The host passes these on to the merchant as events, except for `close`, which ends the session of a modal or popup. */
export type FrameMessage =
  | { readonly type: 'ready' }
  /** The page's content has this height, in CSS pixels. */
  | { readonly type: 'resize'; readonly height: number }
  | { readonly type: 'method'; readonly method: string }
  /** The order entered a status. `again` marks the report at connecting, which a host that already has this status ignores. */
  | {
      readonly type: StatusEvent
      readonly status: string
      readonly received?: string
      readonly remaining?: string
      readonly again?: boolean
    }
  /** The page shows that the order cannot be paid, because the host has refused it or has not answered in time. */
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  /** The payer pressed Escape or, in an app's webview, followed the link back to the shop. */
  | { readonly type: 'close' }

/** The script around a frame handles these itself and does not pass them on. */
export type ControlMessage =
  /** These texts belong to the parts around the frame, in the page's language. They are sent before `ready`. */
  | { readonly type: 'words'; readonly title: string; readonly close: string }
  /** The payer wants the full page, because a frame cannot reach every wallet. It is sent while the payer's click still counts. */
  | { readonly type: 'top' }

/** The host has to check this order, which the page does not show yet. The addresses of orders on EVM chains follow from the factory. */
export interface CheckMessage {
  readonly type: 'check'
  readonly order: unknown
  readonly factory?: string
}

/** The host sends these over the port: the theme when the merchant changes it, and the verdict that the page has asked for. */
export type HostMessage = { readonly type: 'theme'; readonly theme: Theme } | { readonly type: 'checked'; readonly ok: boolean }

/** With `auto` the page follows the setting of the payer's system. */
export type Theme = 'light' | 'dark' | 'auto'

/** These three are the only messages that are sent between windows, because there is no port yet. */
export interface AliveMessage {
  readonly till: typeof version
  readonly type: 'alive'
}
export interface HereMessage {
  readonly till: typeof version
  readonly type: 'here'
}
export interface HelloMessage {
  readonly till: typeof version
  readonly type: 'hello'
  readonly theme: Theme
}

type Fields = Readonly<Record<string, unknown>>
const fields = (data: unknown): Fields => (typeof data === 'object' && data ? (data as Fields) : {})

export const isHereMessage = (data: unknown): data is HereMessage => fields(data).till === version && fields(data).type === 'here'

export const isAliveMessage = (data: unknown): data is AliveMessage => fields(data).till === version && fields(data).type === 'alive'

export const isHelloMessage = (data: unknown): data is HelloMessage =>
  fields(data).till === version && fields(data).type === 'hello' && isTheme(fields(data).theme)

/** A merchant may write anything into the attribute, so an unknown value means `auto`. */
export const themeOf = (text: string | null): Theme => (isTheme(text) ? text : 'auto')

const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark' || value === 'auto'

/** Each message must have these fields, written as `field:type`. A field whose type ends in `?` may be absent. */
const status = 'status:string received:string? remaining:string? again:boolean?'
const shapes: Readonly<Record<string, string>> = {
  ready: '',
  close: '',
  words: 'title:string close:string',
  top: '',
  check: 'factory:string?',
  resize: 'height:number',
  method: 'method:string',
  error: 'code:string message:string',
  pending: status,
  partial: status,
  paid: status,
  expired: status,
  failed: status,
  refunded: status,
}

export const isPageMessage = (data: unknown): data is PageMessage => {
  const message = fields(data)
  const { type } = message
  return (
    typeof type === 'string' &&
    Object.hasOwn(shapes, type) &&
    (shapes[type] ?? '').split(' ').every((rule) => {
      const [field = '', kind = ''] = rule.split(':')
      const value = message[field]
      return !field || typeof value === kind.replace('?', '') || (kind.endsWith('?') && value === undefined)
    })
  )
}

export const isControlMessage = (message: PageMessage): message is ControlMessage => message.type === 'words' || message.type === 'top'

export const isHostMessage = (data: unknown): data is HostMessage => {
  const { type, theme, ok } = fields(data)
  return type === 'theme' ? isTheme(theme) : type === 'checked' && typeof ok === 'boolean'
}

/** The host's origin is passed in the window's name and not in the URL, because the name survives reloads and every link or form. */
export const windowName = (): string => `till ${location.origin} ${Math.random()}`

export const hostOf = (name: string): string | undefined => /^till (\S+) \S+$/.exec(name)?.[1]
