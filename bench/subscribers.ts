import { WebSocket } from 'ws'

/**
 * This process imitates payers who wait: for each message it opens a socket per order, subscribes it to that order, and reports how many
 * sockets are open in total.
 */
interface Subscription {
  readonly url: string
  readonly apiKey: string
  readonly orders: readonly string[]
}

const atOnce = 200

const open = ({ url, apiKey }: Subscription, order: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.once('error', reject)
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'connect', data: { api_key: apiKey } }))
      socket.send(JSON.stringify({ type: 'subscribe', data: { order_id: order } }))
    })
    socket.on('message', (data: Buffer) => data.includes('"subscribed"') && resolve())
    socket.on('close', () => process.exit(1))
  })

let total = 0
process.on('message', async (asked: Subscription | 'stop') => {
  if (asked === 'stop') process.exit(0)
  for (let start = 0; start < asked.orders.length; start += atOnce)
    await Promise.all(asked.orders.slice(start, start + atOnce).map((order) => open(asked, order)))
  total += asked.orders.length
  process.send?.({ open: total })
})
