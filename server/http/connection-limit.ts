import { allowanceName, clientAddress, type Proxies } from './client-address.ts'

/** If this is undefined the connection is refused. Otherwise it must be called when the connection has closed. */
type Release = (() => void) | undefined

/** Limits connections per IP address. All clients behind a NAT have one address, so the limit must be high. */
export interface ConnectionLimit {
  /** Counts a connection unless it is from a trusted proxy, which carries many clients, or from this machine, which is the operator's. */
  connection(remote: string): Release
  /** Counts a WebSocket behind a trusted proxy by its client's IP address. Without a proxy its connection is counted already. */
  socket(remote: string, forwardedFor: string | undefined): Release
}

const warnEveryMs = 60_000
const releaseNothing = (): void => undefined
/** Local programs connect from these addresses unless they bind another one, which then counts like any client's. */
const isOwn = (address: string): boolean => /^(::ffff:)?127\.0\.0\.1$/.test(address) || address === '::1'

/** Calls `onFull` at most once a minute, and without the IP address, which may be a payer's. */
export function connectionLimit(mostPerAddress: number, isTrustedProxy: Proxies, onFull: () => void): ConnectionLimit {
  const held = new Map<string, number>()
  let warnedAt = -warnEveryMs
  const refuse = (): undefined => {
    const now = performance.now()
    if (now - warnedAt < warnEveryMs) return
    warnedAt = now
    onFull()
  }
  const acquire = (address: string): Release => {
    const name = allowanceName(address)
    const before = held.get(name) ?? 0
    if (before >= mostPerAddress) return refuse()
    held.set(name, before + 1)
    return () => {
      const left = (held.get(name) ?? 1) - 1
      if (left === 0) held.delete(name)
      else held.set(name, left)
    }
  }
  return {
    connection: (remote) =>
      isOwn(remote) || isTrustedProxy(remote) ? releaseNothing : acquire(clientAddress(remote, undefined, isTrustedProxy)),
    socket: (remote, forwardedFor) =>
      isTrustedProxy(remote) && forwardedFor !== undefined ? acquire(clientAddress(remote, forwardedFor, isTrustedProxy)) : releaseNothing,
  }
}
