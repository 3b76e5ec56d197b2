import type { Context } from 'hono'
import type { ServedOrder } from './served-order.ts'

/** Where a page stands: at its own link, in a merchant's frame, in a window that a merchant's page opened. */
export interface Place {
  readonly at: 'pay' | 'frame' | 'popup'
  readonly surface: 'page' | 'frame' | 'popup'
  readonly headers: Readonly<Record<string, string>>
}

const places: Readonly<Record<Place['at'], Place>> = {
  pay: { at: 'pay', surface: 'page', headers: {} },
  // Hosts with a COEP of their own take in only what says both; without COOP, which a frame has no use for.
  frame: {
    at: 'frame',
    surface: 'frame',
    headers: {
      'cross-origin-embedder-policy': 'credentialless',
      'cross-origin-resource-policy': 'cross-origin',
      'cross-origin-opener-policy': 'unsafe-none',
    },
  },
  // Any other opener policy would cut the line to the page that opened it.
  popup: { at: 'popup', surface: 'popup', headers: { 'cross-origin-opener-policy': 'unsafe-none' } },
}

/** For routes: the pages that exist at each of them. */
export const placePattern = ':place{pay|frame|popup}'

export function placeOf(c: Context): Place {
  const at = c.req.param('place')
  return at === 'frame' || at === 'popup' ? places[at] : places.pay
}

/** Who may embed this order. It ends up in a header: only what is exactly an origin gets there. */
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
