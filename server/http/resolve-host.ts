import { type LookupAddress, lookup, promises } from 'node:dns'

/** A name's addresses; none when it has none. */
export type Names = (hostname: string) => Promise<readonly LookupAddress[]>

/**
 * Names that somebody else chose are asked of the name servers by ourselves. `dns.lookup`, which everything else uses, asks in one of four
 * threads of the process: four names whose servers never answer would keep files, mail and chains from being reached.
 */
export const publicNames =
  (servers?: readonly string[]): Names =>
  async (hostname) => {
    // A name server has nothing to say about this one (RFC 6761).
    if (/^(?:.*\.)?localhost\.?$/i.test(hostname)) return [{ address: '127.0.0.1', family: 4 }]
    // Made anew, so that it knows the name servers that the machine has now.
    const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
  }

/** Local mode: as the machine itself knows them. */
export const localNames: Names = (hostname) =>
  new Promise((resolve, reject) => lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))))
