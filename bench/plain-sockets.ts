import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** This is the baseline for the sockets: it sends every message from the parent to every client. */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.on('listening', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', (text: string) => {
  const frame = Buffer.from(text)
  for (const socket of server.clients) socket.send(frame, { binary: false })
})
