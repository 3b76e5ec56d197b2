import { connect } from 'node:net'

/** Honest callers use 127.0.0.1, so the service sees this address as an unrelated caller. */
const otherAddress = '127.0.0.2'
const connections = 20
const requestsPerConnection = 100

/** Pipelines requests for one page on each of several connections. The returned function stops and resolves to the number of answers. */
export function startFlood(origin: string, path: string): () => Promise<number> {
  const { hostname, port } = new URL(origin)
  const requests = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requestsPerConnection)
  let answered = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: otherAddress })
    // A closed or refused connection does not matter to the flood.
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => (answered += bytes.toString('latin1').split('HTTP/1.1 ').length - 1))
    socket.write(requests)
    return socket
  })
  return async () => {
    for (const socket of sockets) socket.destroy()
    return answered
  }
}
