import type { Context, MiddlewareHandler } from 'hono'
import { addressName, type Proxies } from './client-address.ts'
import { fairQueue } from '../lib/fair-queue.ts'
import { type Limit, type Limiter, limiter } from './limits.ts'
import type { Incoming } from './ready-response.ts'

export interface PageLimits {
  /** How many pages one address may open. */
  readonly rate: Limit
  readonly atOnce: number
  readonly atOncePerAddress: number
}

export interface PageLimitsParts extends PageLimits {
  readonly isTrustedProxy: Proxies
  /** Whether connections wait to be accepted. */
  readonly isAccepting: () => boolean
  readonly clock: () => number
  /** Makes the response to an address that has opened too many pages; `seconds` is how long it should wait. */
  readonly refuse: (c: Context, seconds: number) => Response
}

const links = /^\/(?:pay|invoice|frame|popup)\/[^/]+(\/(?:logo|image)\b)?/
/** Pictures have an allowance of their own: this many for each page of the page allowance. */
const picturesPerPage = 10
/** Pictures and forms mostly wait for another host or a chain and not for the processor, so they have a wider queue of their own. */
const patient = { atOnce: 64, perName: 16 } as const
const waitingPerAddress = 200
const gapMs = 20

/**
 * Rendering a page takes database reads and a few milliseconds of processor time, so each address has an allowance of pages. Pages that
 * wait to be rendered take turns by address: a client that opens a thousand waits behind itself, while another client's first page is next.
 */
export function pageLimits({
  rate,
  atOnce,
  atOncePerAddress,
  isTrustedProxy,
  isAccepting,
  clock,
  refuse,
}: PageLimitsParts): MiddlewareHandler {
  const { perSecond, burst } = rate
  const pages = limiter(rate, clock)
  const pictures = limiter({ perSecond: perSecond * picturesPerPage, burst: burst * picturesPerPage }, clock)
  // Pages start with a gap between them, and not while connections wait to be accepted: Node accepts one connection in each turn of its
  // event
  // loop, so a client behind three hundred connections would otherwise wait for as many pages.
  const queue = fairQueue({ atOnce, perName: atOncePerAddress, waiting: waitingPerAddress, gapMs, isHeld: isAccepting })
  const patientQueue = fairQueue({ ...patient, waiting: waitingPerAddress })
  return async (c, next) => {
    const { incoming } = (c.env ?? {}) as Incoming
    const link = links.exec(c.req.path)
    if (!incoming || !link) return next()
    const name = addressName(incoming, isTrustedProxy)
    const isPicture = link[1] !== undefined
    const seconds = (isPicture ? pictures : pages).take(name)
    if (seconds > 0) return refuse(c, seconds)
    const turn = (isPicture || c.req.method === 'POST' ? patientQueue : queue).run(name, async () => {
      // The client may have disconnected while it waited.
      if (incoming.socket.destroyed) c.res = new Response(null, { status: 408 })
      else await next()
    })
    return turn === undefined ? refuse(c, 1) : turn
  }
}

const pageLinks = /^\/(pay|invoice|frame|popup)\//

/**
 * Guessing links costs the same as guessing ids. Any 404 below these paths costs the client a miss, and so does a picture that cannot be
 * fetched.
 */
export function pageMisses(misses: Limiter, isTrustedProxy: Proxies): MiddlewareHandler {
  return async (c, next) => {
    await next()
    const { incoming } = (c.env ?? {}) as Incoming
    if (c.res.status !== 404 || !incoming || !pageLinks.test(c.req.path)) return
    const seconds = misses.take(addressName(incoming, isTrustedProxy))
    if (seconds === 0) return
    c.res = new Response('Too many links that lead nowhere. Wait a minute, then open the link from the shop or the message again.', {
      status: 429,
      headers: { 'retry-after': String(seconds), 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    })
  }
}
