import { connect, type Connection } from './connect.ts'
import type { Context } from './context.ts'
import { windowName, type ControlMessage, type FrameMessage } from './protocol.ts'
import type { OpenSession } from './session.ts'

/** A frame exists before its order does, so that the browser can load what every page needs meanwhile. */
export interface Frame {
  readonly element: HTMLIFrameElement
  /** Loads the empty page at /frame, which has the browser connect to {pay_url} and cache the scripts of every page. */
  prepare(): void
  fill(open: OpenSession, hooks: FrameHooks): void
}

type FrameTexts = Extract<ControlMessage, { type: 'words' }>

interface FrameHooks {
  take(message: FrameMessage): void
  /** Receives the texts for the parts around the frame, in the language of its page. */
  words(texts: FrameTexts): void
  connected?(connection: Connection): void
  /** The page did not answer in time, usually because the order or this site's own policy does not allow the frame. */
  refused(): void
}

/** Time limits in milliseconds: `loaded` runs from the load event to the first message, `whole` from the start to the load event. */
const timeouts = { loaded: 4_000, whole: 20_000 } as const

/** The page has to run, open wallets' links and windows, and save and print a receipt. It gets no other permission. */
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
          refused()
        }
        let timer = setTimeout(refuse, timeouts.whole)
        // If the browser refuses to frame the page, it shows an error page, which also fires `load`.
        const loaded = () => {
          clearTimeout(timer)
          timer = setTimeout(refuse, timeouts.loaded)
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
            if (message.type === 'top') openOnTop(open.page())
            else words(message)
          },
        )
        connected?.(connection)
        const url = open.url('frame')
        // Replacing the location adds no history entry, so Back still leaves the merchant's page at once.
        if (element.contentWindow) element.contentWindow.location.replace(url)
        else element.src = url
      }),
  }
}

/** The payer's click in the frame also counts in this page, so browsers allow a window. If it is blocked, the whole tab goes there. */
const openOnTop = (page: string): void => {
  const url = `${page}?method=wallet`
  if (!window.open(url)) window.open(url, '_top')
}

const refusal = (id: string): string =>
  `Till: order ${id} cannot be shown inside ${location.origin}: settings.embed_origins or this page's Content-Security-Policy (frame-src) does not allow it`
