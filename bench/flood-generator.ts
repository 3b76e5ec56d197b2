import { connect } from 'node:net'

/**
 * A process with many connections, each of which pipelines many requests for one page. It starts when it gets its orders, sends `flooding`
 * when everything is sent, and ends when its parent disconnects. It sends to loopback only, and a bounded number of requests.
 */
export interface FloodOrder {
  readonly url: string
  /** The source address. */
  readonly from: string
  readonly connections: number
  /** Requests per connection, pipelined without waiting for responses. */
  readonly requests: number
  /** Whether responses are read. */
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
