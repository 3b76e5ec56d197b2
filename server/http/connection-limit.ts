import { allowanceName, clientAddress, type Proxies } from './client-address.ts'

/** Called when the connection has closed. Undefined: the connection is refused. */
type Release = (() => void) | undefined

/** How many connections an address holds. Everybody behind it shares the limit, so it is a wide one. */
export interface ConnectionLimit {
  /** Counts a connection as it is accepted. Those of a trusted proxy carry everybody, and this machine's own address is the operator's. */
  connection(remote: string): Release
  /** Counts a WebSocket by the client behind the trusted proxy. Without a proxy its connection is counted already. */
  socket(remote: string, forwardedFor: string | undefined): Release
}

const warnEveryMs = 60_000
const uncounted = (): void => undefined
/** Programs of this machine connect from it unless they bind another address; the rest of 127.0.0.0/8 counts like anybody else. */
const isOwn = (address: string): boolean => /^(::ffff:)?127\.0\.0\.1$/.test(address) || address === '::1'

/** `onFull` is called once a minute at most, and without the address: it may be a payer's. */
export function connectionLimit(mostPerAddress: number, isTrustedProxy: Proxies, onFull: () => void): ConnectionLimit {
  const held = new Map<string, number>()
  let warnedAt = -warnEveryMs
  const refuse = (): undefined => {
    const now = performance.now()
    if (now - warnedAt < warnEveryMs) return
    warnedAt = now
    onFull()
  }
  const enter = (address: string): Release => {
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
    connection: (remote) => (isOwn(remote) || isTrustedProxy(remote) ? uncounted : enter(clientAddress(remote, undefined, isTrustedProxy))),
    socket: (remote, forwardedFor) =>
      isTrustedProxy(remote) && forwardedFor !== undefined ? enter(clientAddress(remote, forwardedFor, isTrustedProxy)) : uncounted,
  }
}
