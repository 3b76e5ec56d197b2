import type { Context } from 'hono'
import type { ServedOrder } from './order-source.ts'

/** A page is shown at its own link, in a merchant's frame, or in a window that a merchant's page opened. */
export interface Surface {
  readonly at: 'pay' | 'frame' | 'popup' | 'expect-frame' | 'expect-popup'
  readonly kind: 'page' | 'frame' | 'popup'
  /** The host checks the order before anything of it can be seen. The path says so, because all links of the page keep it. */
  readonly awaitsHost?: true
  readonly headers: Readonly<Record<string, string>>
}

const pay: Surface = { at: 'pay', kind: 'page', headers: {} }
// A host page with a COEP of its own embeds only responses that have both COEP and CORP. COOP does nothing in a frame.
const frame: Surface = {
  at: 'frame',
  kind: 'frame',
  headers: {
    'cross-origin-embedder-policy': 'credentialless',
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-opener-policy': 'unsafe-none',
  },
}
// Any other opener policy would cut the window off from the page that opened it.
const popup: Surface = { at: 'popup', kind: 'popup', headers: { 'cross-origin-opener-policy': 'unsafe-none' } }

const surfaces: readonly Surface[] = [
  pay,
  frame,
  popup,
  { ...frame, at: 'expect-frame', awaitsHost: true },
  { ...popup, at: 'expect-popup', awaitsHost: true },
]

/** The router puts the pattern between anchors, which would belong to the first and last alternative without a group. */
export const surfacePattern = `:surface{(?:${surfaces.map(({ at }) => at).join('|')})}`

/** Routes without a surface, like an invoice's, are pages. */
export const surfaceOf = (c: Context): Surface => surfaces.find(({ at }) => at === c.req.param('surface')) ?? pay

/** Returns the origins that may embed this order. They become part of a header, so anything but an exact origin is dropped. */
export const hostsOf = (order: ServedOrder | undefined, otherwise: readonly string[] = []): string[] =>
  [...(order?.settings?.embed_origins ?? otherwise)].filter(
    (text) => /^https?:$/.test(parsed(text)?.protocol ?? '') && parsed(text)?.origin === text,
  )

function parsed(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Detects browsers inside apps, where wallet links often lead nowhere. Android marks nearly all with `wv`. On iOS they lack `Safari`. */
export const isInsideApp = (userAgent = ''): boolean =>
  /; wv\)|FB_?(AN|AV|IAB)\b|Instagram|\bLine\/|MicroMessenger|TikTok|musical_ly|Bytedance|Snapchat|Telegram|Twitter|KAKAOTALK|iP(hone|ad|od)(?!.* Safari\/)/.test(
    userAgent,
  )
