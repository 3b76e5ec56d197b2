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

/** An order's statuses, as far as a host needs to tell them apart. */
export type StatusEvent = 'pending' | 'partial' | 'paid' | 'expired' | 'failed' | 'refunded'

/** Over the port, from our page. */
export type PageMessage = FrameMessage | Around

/** What happens, for the merchant to hear. */
export type FrameMessage =
  | { readonly type: 'ready' }
  /** How high the page would like to be, in CSS pixels. */
  | { readonly type: 'resize'; readonly height: number }
  /** The payer chose a way to pay. */
  | { readonly type: 'method'; readonly method: string }
  /** The order entered a status; `again` when a page that was reloaded tells where it stands. */
  | {
      readonly type: StatusEvent
      readonly status: string
      readonly received?: string
      readonly remaining?: string
      readonly again?: boolean
    }
  /** The payer pressed Escape, or followed the way back. */
  | { readonly type: 'close' }

/** For the script around a frame alone. */
export type Around =
  /** What the host says around a frame, in the page's language. Precedes `ready`. */
  | { readonly type: 'words'; readonly title: string; readonly close: string }
  /** The payer wants the whole page, where wallets are that a frame cannot reach. Still inside the payer's click. */
  | { readonly type: 'top' }

/** Over the port, from the host. */
export interface HostMessage {
  readonly type: 'theme'
  readonly theme: Theme
}

/** auto: as the payer's system is set. */
export type Theme = 'light' | 'dark' | 'auto'

/** The two that go from window to window. */
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

/** What somebody wrote into an attribute. */
export const themeOf = (text: string | null): Theme => (isTheme(text) ? text : 'auto')

const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark' || value === 'auto'

/** What each message must bring, as `field:type`; a field with `?` may be absent. */
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

/** Names are the one thing a host can tell a window of another origin before it loads; the browser keeps them over reloads. */
export const frameName = (origin: string, n: string): string => `till ${origin} ${n}`

export const hostOf = (name: string): string | undefined => /^till (\S+) \S+$/.exec(name)?.[1]
