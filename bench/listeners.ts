import { WebSocket } from 'ws'

/**
 * This process opens `count` sockets and reports when all are open. Then it reports each time that all sockets together have received
 * another `count` messages. Its arguments are the URL, the count, and the messages that each socket sends first.
 */
const [url = '', count = '0', ...hello] = process.argv.slice(2)
const total = Number(count)
let received = 0

const open = () =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.once('error', reject)
    socket.once('open', () => {
      for (const text of hello) socket.send(text)
      if (hello.length === 0) resolve()
    })
    socket.on('message', (data: Buffer) => {
      // The short messages are "connected" and "subscription", which answer the first messages and are not counted.
      if (data.length < 300) {
        if (data.includes('"subscribed"')) resolve()
        return
      }
      if (++received % total === 0) process.send?.({ round: received / total })
    })
    socket.on('close', () => process.exit(1))
  })

for (let start = 0; start < total; start += 250) await Promise.all(Array.from({ length: Math.min(250, total - start) }, open))
process.send?.({ open: total })
process.on('message', () => process.exit(0))
