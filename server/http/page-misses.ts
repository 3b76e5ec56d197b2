import type { MiddlewareHandler } from 'hono'
import { addressName, type Proxies } from './client-address.ts'
import type { Limiter } from './limits.ts'
import type { Incoming } from './route.ts'

const links = /^\/(pay|invoice|frame|popup)\//

/** Links are walked as little as ids: one that leads nowhere costs its caller a miss, one that leads somewhere costs nothing. */
export function pageMisses(misses: Limiter, isTrustedProxy: Proxies): MiddlewareHandler {
  return async (c, next) => {
    await next()
    const { incoming } = (c.env ?? {}) as Incoming
    if (c.res.status !== 404 || !incoming || !links.test(c.req.path)) return
    const seconds = misses.take(addressName(incoming, isTrustedProxy))
    if (seconds === 0) return
    c.res = new Response('Too many links that lead nowhere. Wait a minute, then open the link from the shop or the message again.', {
      status: 429,
      headers: { 'retry-after': String(seconds), 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    })
  }
}
