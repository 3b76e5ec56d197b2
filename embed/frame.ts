import { connect, type Connection } from './connect.ts'
import { orderUrl, type Context } from './context.ts'
import type { Around, FrameMessage } from './protocol.ts'
import { windowName, type OpenSession } from './session.ts'

/** The frame with our page in it, before and after it has an order. */
export interface Frame {
  readonly element: HTMLIFrameElement
  /** Loads the empty page at /frame until there is an order, which opens the connection and caches what every page needs. */
  prepare(): void
  /** Shows the session's order in the frame as soon as its id is known. */
  fill(open: OpenSession, hooks: FrameHooks): void
}

type Words = Extract<Around, { type: 'words' }>

interface FrameHooks {
  take(message: FrameMessage): void
  /** The words to use around the frame, in the language of its page. */
  words(said: Words): void
  connected?(connection: Connection): void
  /** The page did not answer in time: usually because this site may not frame the order, or does not allow our frames. */
  refused(id: string): void
}

/** How many milliseconds a frame may be silent after it has loaded, and how many it may take to load. */
const patience = { loaded: 4_000, whole: 20_000 } as const

/** Permits only what the page needs: wallets' links and windows, and a receipt that can be saved and printed. */
const sandbox =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation allow-downloads allow-modals'

export const createFrame = (context: Context): Frame => {
  const element = document.createElement('iframe')
  element.name = windowName()
  element.allow = 'clipboard-write; payment; publickey-credentials-get'
  element.setAttribute('sandbox', sandbox)
  return {
    element,
    prepare: () => {
      element.src ||= `${context.payUrl}/frame`
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
        // A page that the browser refuses to frame also fires `load`, for the browser's own error page.
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
          context,
          open,
          () => element.contentWindow,
          (message) => {
            settled()
            take(message)
          },
          (message) => {
            if (message.type === 'top') openOnTop(context, id)
            else words(message)
          },
        )
        connected?.(connection)
        const url = orderUrl(context, 'frame', id)
        // The location is replaced, because otherwise the merchant's visitor would have to press Back once more.
        if (element.contentWindow) element.contentWindow.location.replace(url)
        else element.src = url
      }),
  }
}

/**
 * Opens the full page while the payer's click still counts, which it does for the page around the frame too. The frame stays and reports
 * what happens to the order. If no window opens, the whole tab goes to the page.
 */
const openOnTop = (context: Context, id: string): void => {
  const url = `${orderUrl(context, 'pay', id)}?method=wallet`
  if (!window.open(url)) window.open(url, '_top')
}

const refusal = (id: string): string =>
  `Till: order ${id} cannot be shown inside ${location.origin}. Add this origin to the order's settings.embed_origins, and allow the frame in this page's Content-Security-Policy (frame-src). The full page is used instead.`
