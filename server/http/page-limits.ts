import type { Context, MiddlewareHandler } from 'hono'
import { addressName, type Proxies } from './client-address.ts'
import { fairQueue } from '../lib/fair-queue.ts'
import { type Limit, type Limiter, limiter } from './limits.ts'
import type { RequestBindings } from './ready-response.ts'

export interface PageLimits {
  readonly rate: Limit
  readonly atOnce: number
  readonly atOncePerAddress: number
}

export interface PageLimitsParts extends PageLimits {
  readonly isTrustedProxy: Proxies
  readonly hasConnectionBacklog: () => boolean
  readonly clock: () => number
  readonly refuse: (c: Context, seconds: number) => Response
}

const links = /^\/(?:pay|invoice|frame|popup)\/[^/]+(\/(?:logo|image)\b)?/
/** Pictures have an allowance of their own, which is this many times the allowance of pages. */
const picturesPerPage = 10
/** Pictures and forms mostly wait for another host or a chain rather than for the processor, so their queue is wider. */
const waitingPageLimits = { atOnce: 64, perName: 16 } as const
const waitingPerAddress = 200
const gapMs = 20

/**
 * Rendering a page takes database reads and a few milliseconds of processor time, so each IP address has an allowance of pages. Pages that
 * wait take turns by IP address, so a client that opens a thousand waits behind itself and not in front of another client's first page.
 */
export function pageLimits({
  rate,
  atOnce,
  atOncePerAddress,
  isTrustedProxy,
  hasConnectionBacklog,
  clock,
  refuse,
}: PageLimitsParts): MiddlewareHandler {
  const { perSecond, burst } = rate
  const pages = limiter(rate, clock)
  const pictures = limiter({ perSecond: perSecond * picturesPerPage, burst: burst * picturesPerPage }, clock)
  // Waiting pages of one IP address start with a gap between them, and for up to a second not while connections wait. Node accepts one
  // connection per turn of its event loop, so a client behind three hundred others would otherwise wait for as many pages.
  const queue = fairQueue({ atOnce, perName: atOncePerAddress, waiting: waitingPerAddress, gapMs, isHeld: hasConnectionBacklog })
  const waitingQueue = fairQueue({ ...waitingPageLimits, waiting: waitingPerAddress })
  return async (c, next) => {
    const { incoming } = (c.env ?? {}) as RequestBindings
    const link = links.exec(c.req.path)
    if (!incoming || !link) return next()
    const name = addressName(incoming, isTrustedProxy)
    const isPicture = link[1] !== undefined
    const seconds = (isPicture ? pictures : pages).take(name)
    if (seconds > 0) return refuse(c, seconds)
    const turn = (isPicture || c.req.method === 'POST' ? waitingQueue : queue).run(name, async () => {
      // The client may have disconnected while it waited.
      if (incoming.socket.destroyed) c.res = new Response(null, { status: 408 })
      else await next()
    })
    return turn === undefined ? refuse(c, 1) : turn
  }
}

const pageLinks = /^\/(pay|invoice|frame|popup)\//

/** Guessing links must cost as much as guessing ids, so any 404 below these paths counts as a miss, even that of a missing picture. */
export function pageMisses(misses: Limiter, isTrustedProxy: Proxies): MiddlewareHandler {
  return async (c, next) => {
    await next()
    const { incoming } = (c.env ?? {}) as RequestBindings
    if (c.res.status !== 404 || !incoming || !pageLinks.test(c.req.path)) return
    const seconds = misses.take(addressName(incoming, isTrustedProxy))
    if (seconds === 0) return
    c.res = new Response('Too many links that lead nowhere. Wait a minute, then open the link from the shop or the message again.', {
      status: 429,
      headers: { 'retry-after': String(seconds), 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    })
  }
}
