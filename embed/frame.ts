import { connect, type Connection } from './connect.ts'
import { orderUrl, type Ground } from './ground.ts'
import type { Around, FrameMessage } from './protocol.ts'
import { windowName, type OpenSession } from './session.ts'

/** Our page's frame, before and after it has an order. */
export interface Frame {
  readonly element: HTMLIFrameElement
  /** Until there is an order: the empty page at /frame, connected, and with what every page needs in the cache. */
  prepare(): void
  /** Shows the session's order in it as soon as it is known. */
  fill(open: OpenSession, hooks: FrameHooks): void
}

type Words = Extract<Around, { type: 'words' }>

interface FrameHooks {
  take(message: FrameMessage): void
  /** What to say around the frame, in its page's language. */
  words(said: Words): void
  connected?(connection: Connection): void
  /** Nobody answered: this site may not frame the order, or no frames of ours at all. */
  refused(id: string): void
}

/** How long a loaded frame may be silent, and how long it may take to load. */
const patience = { loaded: 4_000, whole: 20_000 } as const

/** What wallets need: their links, a window of their own, a receipt that can be kept and printed. Nothing else. */
const sandbox =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation allow-downloads allow-modals'

export const createFrame = (ground: Ground): Frame => {
  const element = document.createElement('iframe')
  element.name = windowName()
  element.allow = 'clipboard-write; payment; publickey-credentials-get'
  element.setAttribute('sandbox', sandbox)
  return {
    element,
    prepare: () => {
      element.src ||= `${ground.payUrl}/frame`
    },
    fill: (open, { take, words, refused, connected }) =>
      open.whenKnown((id) => {
        const refuse = () => {
          const why = refusal(id)
          console.warn(why)
          open.fail('refused', why)
          refused(id)
        }
        let timer = setTimeout(refuse, patience.whole)
        // A refused page loads too: as the browser's own error page.
        const loaded = () => {
          clearTimeout(timer)
          timer = setTimeout(refuse, patience.loaded)
        }
        const settled = () => {
          clearTimeout(timer)
          element.removeEventListener('load', loaded)
        }
        element.addEventListener('load', loaded)
        open.onEnd(settled)
        const connection = connect(
          ground,
          open,
          () => element.contentWindow,
          (message) => {
            settled()
            take(message)
          },
          (message) => {
            if (message.type === 'top') openOnTop(ground, id)
            else words(message)
          },
        )
        connected?.(connection)
        const url = orderUrl(ground, 'frame', id)
        // Replaced, or the merchant's visitor would need one Back more.
        if (element.contentWindow) element.contentWindow.location.replace(url)
        else element.src = url
      }),
  }
}

/**
 * Inside the payer's click, which counts for the page around the frame too. The frame stays and reports what comes of it. Where
 * no window opens, the whole tab goes there.
 */
const openOnTop = (ground: Ground, id: string): void => {
  const url = `${orderUrl(ground, 'pay', id)}?method=wallet`
  if (!window.open(url)) window.open(url, '_top')
}

const refusal = (id: string): string =>
  `Till: order ${id} cannot be shown inside ${location.origin}. Add this origin to the order's settings.embed_origins, and allow the frame in this page's Content-Security-Policy (frame-src). The full page is used instead.`
