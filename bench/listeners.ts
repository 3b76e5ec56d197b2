import { WebSocket } from 'ws'

/**
 * A process that only listens: it opens `count` sockets, reports when they are open, and reports for each message when the last socket has
 * received it. Arguments: the URL, the count, and the messages that each socket sends first.
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
      // Responses to these first messages ("connected", "subscription") come before anything else.
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
