import { connect } from 'node:net'

/** Not 127.0.0.1, where the honest come from: a stranger to the service. */
const otherAddress = '127.0.0.2'
const connections = 20
const requestsPerConnection = 100

/** Many requests for one page on each of many connections, one after the other without waiting for an answer. What it returns says how many were answered. */
export function startFlood(origin: string, path: string): () => Promise<number> {
  const { hostname, port } = new URL(origin)
  const requests = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requestsPerConnection)
  let answered = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: otherAddress })
    // It is cut, or nobody is there: whoever floods does not mind.
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
