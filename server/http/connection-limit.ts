import { allowanceName, clientAddress, type Proxies } from './client-address.ts'

/** What to call when a connection is gone. Undefined: it may not come in. */
type Leave = (() => void) | undefined

/** How many connections an address holds. Everybody behind it shares the number, so it is a wide one. */
export interface Crowd {
  /** A connection as it is accepted. Those of a trusted proxy are everybody's, and this machine's own address is the operator's. */
  connection(remote: string): Leave
  /** A socket that lasts, by who is behind the trusted proxy. Without one its connection is counted already. */
  socket(remote: string, forwardedFor: string | undefined): Leave
}

const tellEveryMs = 60_000
const uncounted = (): void => undefined
/** Where programs of this machine come from unless they bind another address: the rest of 127.0.0.0/8 counts like anybody else. */
const isOwn = (address: string): boolean => /^(::ffff:)?127\.0\.0\.1$/.test(address) || address === '::1'

/** `onFull` is told once a minute at most, and not of whom: it may be a payer. */
export function crowd(mostPerAddress: number, isTrustedProxy: Proxies, onFull: () => void): Crowd {
  const present = new Map<string, number>()
  let toldAt = -tellEveryMs
  const refuse = (): undefined => {
    const now = performance.now()
    if (now - toldAt < tellEveryMs) return
    toldAt = now
    onFull()
  }
  const enter = (address: string): Leave => {
    const name = allowanceName(address)
    const before = present.get(name) ?? 0
    if (before >= mostPerAddress) return refuse()
    present.set(name, before + 1)
    return () => {
      const left = (present.get(name) ?? 1) - 1
      if (left === 0) present.delete(name)
      else present.set(name, left)
    }
  }
  return {
    connection: (remote) => (isOwn(remote) || isTrustedProxy(remote) ? uncounted : enter(clientAddress(remote, undefined, isTrustedProxy))),
    socket: (remote, forwardedFor) =>
      isTrustedProxy(remote) && forwardedFor !== undefined ? enter(clientAddress(remote, forwardedFor, isTrustedProxy)) : uncounted,
  }
}
