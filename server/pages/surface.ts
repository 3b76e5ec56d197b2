import type { Context } from 'hono'
import type { ServedOrder } from './order-source.ts'

/** A page is shown at its own link, in a merchant's frame, or in a window that a merchant's page opened. */
export interface Surface {
  readonly at: 'pay' | 'frame' | 'popup'
  readonly kind: 'page' | 'frame' | 'popup'
  readonly headers: Readonly<Record<string, string>>
}

const surfaces: Readonly<Record<Surface['at'], Surface>> = {
  pay: { at: 'pay', kind: 'page', headers: {} },
  // A host page with a COEP of its own embeds only responses that have both COEP and CORP. COOP does nothing in a frame.
  frame: {
    at: 'frame',
    kind: 'frame',
    headers: {
      'cross-origin-embedder-policy': 'credentialless',
      'cross-origin-resource-policy': 'cross-origin',
      'cross-origin-opener-policy': 'unsafe-none',
    },
  },
  // Any other opener policy would cut the window off from the page that opened it.
  popup: { at: 'popup', kind: 'popup', headers: { 'cross-origin-opener-policy': 'unsafe-none' } },
}

export const surfacePattern = ':surface{pay|frame|popup}'

export function surfaceOf(c: Context): Surface {
  const at = c.req.param('surface')
  return at === 'frame' || at === 'popup' ? surfaces[at] : surfaces.pay
}

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
