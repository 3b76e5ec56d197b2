import type { Context, MiddlewareHandler } from 'hono'
import { addressName, type Proxies } from './client-address.ts'
import { fairQueue } from '../lib/fair-queue.ts'
import { type Limit, limiter } from './limits.ts'
import type { Incoming } from './route.ts'

export interface PageLimits {
  /** Pages of one address. */
  readonly rate: Limit
  readonly atOnce: number
  readonly atOncePerAddress: number
}

export interface PageLimitsParts extends PageLimits {
  readonly isTrustedProxy: Proxies
  /** Whether connections wait to be accepted. */
  readonly isAccepting: () => boolean
  readonly clock: () => number
  /** What somebody sees who opened too many, with the seconds to wait. */
  readonly refuse: (c: Context, seconds: number) => Response
}

const links = /^\/(?:pay|invoice|frame|popup)\/[^/]+(\/(?:logo|image)\b)?/
/** A page shows so many pictures without being dearer than one page. */
const picturesPerPage = 10
/** What waits for somebody else (pictures for their host, forms for a chain) and not for the processor has places of its own, and more of them. */
const patient = { atOnce: 64, perName: 16 } as const
const waitingPerAddress = 200
const gapMs = 20

/**
 * A page is made of database reads and a few milliseconds of processor, so an address has an allowance of them, and those that wait to be
 * made take turns by address: who opens a thousand waits behind his own, and somebody else's first is next.
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
  // A burst is made one page after the other with a gap between, and not while others are at the door: Node accepts one connection in each turn of its event
  // loop, so that whoever comes behind three hundred would wait for as many pages.
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
      // Nothing is made for somebody who has left while waiting.
      if (incoming.socket.destroyed) c.res = new Response(null, { status: 408 })
      else await next()
    })
    return turn === undefined ? refuse(c, 1) : turn
  }
}
