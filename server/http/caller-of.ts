import type { Context } from 'hono'
import { addressName, type Proxies } from './client-address.ts'
import type { Incoming } from './route.ts'

/** The name under which a request's caller is counted; empty for what this process asks itself. */
export function callerOf(c: Context, isTrustedProxy: Proxies): string {
  const { incoming } = (c.env ?? {}) as Incoming
  return incoming ? addressName(incoming, isTrustedProxy) : ''
}
