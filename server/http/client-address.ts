import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Context } from 'hono'
import type { RequestBindings } from './ready-response.ts'

export type Proxies = (address: string) => boolean

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '')

/** Accepts networks in CIDR form and single IP addresses. The configuration is validated before. */
export function trustedProxies(networks: readonly string[]): Proxies {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits ?? (isIPv6(address) ? 128 : 32)), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return (address) => list.check(plain(address), isIPv6(plain(address)) ? 'ipv6' : 'ipv4')
}

/** The client is the nearest hop that is not a trusted proxy, or else the farthest. Everything beyond an untrusted hop may be forged. */
export function clientAddress(remote: string, forwardedFor: string | undefined, isTrusted: Proxies): string {
  const hops = [...(forwardedFor?.split(',').map((hop) => plain(hop.trim())) ?? []), plain(remote)]
  for (let index = hops.length - 1; index > 0; index--) {
    const hop = hops[index] ?? ''
    if (!isIP(hop) || !isTrusted(hop)) return hop
    if (!isIP(hops[index - 1] ?? '')) return hop
  }
  return hops[0] ?? plain(remote)
}

/** An IPv6 client usually has at least a /64 to itself, so all addresses of a /64 share one allowance. */
export function allowanceName(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = address.includes('::')
    ? [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right]
    : left
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}

export function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const header = headers['x-forwarded-for']
  return Array.isArray(header) ? header.join(',') : header
}

export const addressName = (request: IncomingMessage, isTrustedProxy: Proxies): string =>
  allowanceName(clientAddress(request.socket.remoteAddress ?? '', forwardedFor(request), isTrustedProxy))

/** Does what `addressName` does for a request that Hono handles, and returns '' for one without a connection, as in tests. */
export function addressNameOf(c: Context, isTrustedProxy: Proxies): string {
  const { incoming } = (c.env ?? {}) as RequestBindings
  return incoming ? addressName(incoming, isTrustedProxy) : ''
}
