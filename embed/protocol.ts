/**
 * Between a merchant's page (the host) and our page (in a frame, or in a window the host opened).
 *
 * Requirements
 *
 * 1. Our page sends nothing to a window that the order does not allow to embed it (`settings.embed_origins`).
 * 2. The host believes nobody but our page: neither a look-alike origin nor another frame of the same page.
 * 3. No message is ever sent to `*`, and no origin is compared by its beginning.
 * 4. Whatever is not in this file is dropped and counted.
 * 5. What the host receives is a hint. Goods leave on the signed webhook.
 * 6. It works again after our page reloads, changes its language, or comes back from the back-forward cache.
 *
 * Steps
 *
 * 1. The host makes the frame or the window, and gives it a name that says the host's origin: `frameName(origin, n)`.
 * 2. Our page reads the name. If that origin is in the order's list, it posts `here` to it (which says nothing but that).
 * 3. The host checks that the message came from that window and from our exact origin, makes a MessageChannel and posts `hello`
 *    with one of its ports to our exact origin.
 * 4. Our page takes the first `hello` whose `source` is its parent (or opener) and whose `origin` is in the order's list; any
 *    other is dropped. From here on both speak over the port alone, which nobody else holds.
 * 5. Our page posts `words` and `ready`, and each `PageMessage` as it happens. The host posts `HostMessage`s.
 * 6. A reloaded page starts at 2; the host then closes the old port. Ending is closing the port.
 */
export const version = 1

/** The statuses of an order that a host has to tell apart. */
export type StatusEvent = 'pending' | 'partial' | 'paid' | 'expired' | 'failed' | 'refunded'

/** Messages from our page, over the port. */
export type PageMessage = FrameMessage | Around

/** Messages that are passed on to the merchant as events. */
export type FrameMessage =
  | { readonly type: 'ready' }
  /** How high the page would like to be, in CSS pixels. */
  | { readonly type: 'resize'; readonly height: number }
  /** The payer chose a way to pay. */
  | { readonly type: 'method'; readonly method: string }
  /** The order entered a status. `again` marks the status that a page reports when it connects, which may be known already. */
  | {
      readonly type: StatusEvent
      readonly status: string
      readonly received?: string
      readonly remaining?: string
      readonly again?: boolean
    }
  /** The payer pressed Escape or, in an app's webview, followed the link back to the shop. */
  | { readonly type: 'close' }

/** Messages for the script around a frame, which does not pass them on. */
export type Around =
  /** The words to use around the frame, in the page's language. They precede `ready`. */
  | { readonly type: 'words'; readonly title: string; readonly close: string }
  /** The payer wants the full page, because a frame cannot reach every wallet. It is sent while the payer's click still counts. */
  | { readonly type: 'top' }

/** A message from the host, over the port. */
export interface HostMessage {
  readonly type: 'theme'
  readonly theme: Theme
}

/** `auto` follows the setting of the payer's system. */
export type Theme = 'light' | 'dark' | 'auto'

/** The two messages that go from window to window, before there is a port. */
export interface Here {
  readonly till: typeof version
  readonly type: 'here'
}
export interface Hello {
  readonly till: typeof version
  readonly type: 'hello'
  readonly theme: Theme
}

type Fields = Readonly<Record<string, unknown>>
const fields = (data: unknown): Fields => (typeof data === 'object' && data ? (data as Fields) : {})

export const isHere = (data: unknown): data is Here => fields(data).till === version && fields(data).type === 'here'

export const isHello = (data: unknown): data is Hello =>
  fields(data).till === version && fields(data).type === 'hello' && isTheme(fields(data).theme)

/** Reads a theme from an attribute; anything unknown means `auto`. */
export const themeOf = (text: string | null): Theme => (isTheme(text) ? text : 'auto')

const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark' || value === 'auto'

/** The fields that each message must have, as `field:type`. A field whose type ends in `?` may be absent. */
const status = 'status:string received:string? remaining:string? again:boolean?'
const shapes: Readonly<Record<string, string>> = {
  ready: '',
  close: '',
  words: 'title:string close:string',
  top: '',
  resize: 'height:number',
  method: 'method:string',
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

export const isAround = (message: PageMessage): message is Around => message.type === 'words' || message.type === 'top'

export const isHostMessage = (data: unknown): data is HostMessage => fields(data).type === 'theme' && isTheme(fields(data).theme)

/** A name is the one thing that a host can give a window of another origin before it loads, and the browser keeps it over reloads. */
export const frameName = (origin: string, n: string): string => `till ${origin} ${n}`

export const hostOf = (name: string): string | undefined => /^till (\S+) \S+$/.exec(name)?.[1]
