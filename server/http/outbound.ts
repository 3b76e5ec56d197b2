import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { withDeadline } from '../lib/with-deadline.ts'
import { localResolver, type HostResolver, publicResolver } from './resolve-host.ts'

export interface Outbound {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** With 0 the body is not read. */
  readonly maxBytes: number
  /** Only local mode sets this, which permits plain http and every address. */
  readonly allowLocal: boolean
  readonly signal?: AbortSignal
  readonly resolve?: HostResolver
}

export interface OutboundAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Buffer
}

export class OutboundRefused extends Error {
  readonly code = 'outbound_refused'
  constructor(message: string) {
    super(message)
    this.name = 'OutboundRefused'
  }
}

const closed = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  closed.addSubnet(network, bits, 'ipv4')
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed.addSubnet(network, bits, 'ipv6')

/** Returns false for this machine, private networks, and IPv6 forms that embed an IPv4 address, such as 6to4. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return global6.check(address, 'ipv6') && !closed.check(address, 'ipv6')
  return isIP(address) === 4 && !closed.check(address, 'ipv4')
}

const resolvers = { local: localResolver, public: publicResolver() } as const

/** Resolves and checks in one step, so that the connection goes to the very address that was checked. */
const checkedLookup =
  (allowLocal: boolean, resolve: HostResolver): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname).then(
      (addresses) => {
        const bad = allowLocal ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
        const [first] = addresses
        if (bad || !first) return done(new OutboundRefused(`${hostname} does not lead to a public address.`), '', 4)
        return options.all ? done(null, [...addresses]) : done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, '', 4),
    )
  }

/** Others choose the URL, so it must be https at a public address, unless `allowLocal`. It follows no redirect and limits time and size. */
export async function outbound({
  url,
  method,
  headers,
  body,
  timeoutMs,
  maxBytes,
  allowLocal,
  signal,
  resolve = allowLocal ? resolvers.local : resolvers.public,
}: Outbound): Promise<OutboundAnswer> {
  const target = new URL(url)
  if (target.protocol !== 'https:' && !(allowLocal && target.protocol === 'http:'))
    throw new OutboundRefused('Only https addresses are called.')
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !allowLocal && !isPublicAddress(host)) throw new OutboundRefused(`${host} is not a public address.`)
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  const exchange = (deadline: AbortSignal) =>
    new Promise<OutboundAnswer>((done, failed) => {
      const request = send(
        target,
        {
          method,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
          lookup: checkedLookup(allowLocal, resolve),
          agent: false,
          signal: deadline,
        },
        (response) => {
          const answered = (bytes: Buffer) =>
            done({ status: response.statusCode ?? 0, contentType: response.headers['content-type'], body: bytes })
          if (maxBytes === 0) {
            answered(Buffer.alloc(0))
            response.destroy()
            return
          }
          const chunks: Buffer[] = []
          let size = 0
          response.on('data', (chunk: Buffer) => {
            size += chunk.length
            if (size > maxBytes) request.destroy(new OutboundRefused(`The answer is larger than ${maxBytes} bytes.`))
            else chunks.push(chunk)
          })
          response.on('end', () => answered(Buffer.concat(chunks)))
          response.on('error', failed)
        },
      )
      request.on('error', failed)
      request.end(body)
    })
  return withDeadline(timeoutMs, signal, exchange)
}
