import { connect, type Connection } from './connect.ts'
import type { Context } from './context.ts'
import { windowName, type ControlMessage, type FrameMessage } from './protocol.ts'
import { isReachable } from './reachable.ts'
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
  /** The page cannot be shown in a frame here, usually because the order or this site's own policy does not allow it. */
  refused(): void
  /** The connection is lost, so the frame shows nothing until `retry` is called. */
  unreachable(retry: () => void): void
}

/**
 * Time limits in milliseconds: `whole` from the start to the load event, `loaded` from there to the first sign of our page, and `running` from that
 * until its script has connected, which on a slow line takes long.
 */
const timeouts = { whole: 20_000, loaded: 4_000, running: 60_000 } as const

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
    fill: (open, { take, words, refused, unreachable, connected }) =>
      open.whenKnown((id) => {
        let timer: ReturnType<typeof setTimeout> | undefined
        const wait = (ms: number) => {
          clearTimeout(timer)
          timer = setTimeout(giveUp, ms)
        }
        const giveUp = async () => {
          const isThere = await isReachable()
          if (open.ended()) return
          if (isThere) {
            open.fail('refused', refusal(id))
            refused()
          } else {
            open.fail('offline', 'there is no connection')
            unreachable(load)
          }
        }
        // If the browser refuses to frame the page, or cannot reach it, it shows an error page, which also fires `load`.
        const loaded = () => wait(timeouts.loaded)
        // Where this site's own policy forbids the frame, Firefox and WebKit fire no `load`.
        const forbidden = ({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent) => {
          if (effectiveDirective !== 'frame-src' || disposition !== 'enforce' || !`${blockedURI}/`.startsWith(`${context.payUrl}/`)) return
          settled()
          void giveUp()
        }
        const settled = () => {
          clearTimeout(timer)
          element.removeEventListener('load', loaded)
          document.removeEventListener('securitypolicyviolation', forbidden)
        }
        const load = () => {
          wait(timeouts.whole)
          element.addEventListener('load', loaded)
          document.addEventListener('securitypolicyviolation', forbidden)
          const url = open.url('frame')
          // Replacing the location adds no history entry, so Back still leaves the merchant's page at once.
          if (element.contentWindow) element.contentWindow.location.replace(url)
          else element.src = url
        }
        open.onEnd(settled)
        const connection = connect(context, open, () => element.contentWindow, {
          alive: () => {
            element.removeEventListener('load', loaded)
            wait(timeouts.running)
          },
          take: (message) => {
            settled()
            take(message)
          },
          control: (message) => {
            if (message.type === 'top') openOnTop(open.page())
            else words(message)
          },
        })
        connected?.(connection)
        load()
      }),
  }
}

/** The payer's click in the frame also counts in this page, so browsers allow a window. If it is blocked, the whole tab goes there. */
const openOnTop = (page: string): void => {
  const url = `${page}?method=wallet`
  if (!window.open(url)) window.open(url, '_top')
}

const refusal = (id: string): string =>
  `order ${id} cannot be shown inside ${location.origin}: settings.embed_origins or this page's Content-Security-Policy (frame-src) does not allow it, or there is no such order`
