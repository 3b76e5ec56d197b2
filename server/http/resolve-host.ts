import { type LookupAddress, lookup, promises } from 'node:dns'

export type HostResolver = (hostname: string) => Promise<readonly LookupAddress[]>

/** `dns.lookup` blocks one of the process's four worker threads, so names that others chose get a resolver that uses no thread. */
export const publicResolver =
  (servers?: readonly string[]): HostResolver =>
  async (hostname) => {
    // Name servers are not asked about localhost (RFC 6761).
    if (/^(?:.*\.)?localhost\.?$/i.test(hostname)) return [{ address: '127.0.0.1', family: 4 }]
    // A new resolver each time uses the name servers that the machine has now.
    const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
  }

/** Local mode resolves names as the machine does, including those in its hosts file. */
export const localResolver: HostResolver = (hostname) =>
  new Promise((resolve, reject) => lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))))
