import { connect } from 'node:net'

/**
 * This process opens connections that pipeline requests for one page. It starts when its parent sends a FloodOrder, reports `flooding` when
 * all requests are written, and exits when the parent disconnects. To harm nobody, it sends a bounded number, to loopback only.
 */
export interface FloodOrder {
  readonly url: string
  /** The source address decides which rate limits apply. */
  readonly from: string
  readonly connections: number
  /** Each connection pipelines this many requests without waiting for responses. */
  readonly requests: number
  /** A client that does not read its responses makes the service buffer them. */
  readonly reads: boolean
}

process.once('disconnect', () => process.exit(0))
process.once('message', ({ url, from, connections, requests, reads }: FloodOrder) => {
  const { hostname, port, pathname } = new URL(url)
  if (!hostname.startsWith('127.')) throw new Error(`${hostname} is not a loopback address`)
  const text = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requests)
  let sent = 0
  for (let index = 0; index < connections; index++) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from })
    socket.on('error', () => undefined)
    if (reads) socket.resume()
    else socket.pause()
    socket.write(text, () => ++sent === connections && process.send?.('flooding'))
  }
})
