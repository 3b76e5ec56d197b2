import { WebSocket } from 'ws'

/**
 * A process of waiting payers: each socket subscribes to an order of its own. For each message `{url, apiKey, orders}` it opens that many
 * sockets and reports `{open}`.
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
