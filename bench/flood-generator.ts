import { connect } from 'node:net'

/**
 * A process of its own full of connections, each of which asks for one page many times at once. Told what to do it does it, says
 * `flooding` when everything is sent, and ends when its parent lets go. It sends to loopback only, and a bounded number of requests.
 */
export interface Asked {
  readonly url: string
  /** The address it comes from. */
  readonly from: string
  readonly connections: number
  /** Sent by each connection, one after the other without waiting for an answer. */
  readonly requests: number
  /** Whether answers are read. */
  readonly reads: boolean
}

process.once('disconnect', () => process.exit(0))
process.once('message', ({ url, from, connections, requests, reads }: Asked) => {
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
