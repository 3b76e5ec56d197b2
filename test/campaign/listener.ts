import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from '../../src/wire/order.ts'
import type { Client } from '../support/client/client.ts'
import { connectSocket, type Socket } from '../support/client/socket.ts'

/** Follows all orders of a merchant live: it reconnects, and fetches the orders after each subscription. */
export interface Listener {
  readonly connections: readonly Connection[]
  /** The newest state of each order that was received or fetched. */
  readonly orders: ReadonlyMap<string, Order>
  /** When each order was first known to be COMPLETED, by `performance.now()`. */
  readonly completedAt: ReadonlyMap<string, number>
  isConnected(): boolean
  stop(): Promise<void>
}

export interface Connection {
  /** The raw texts of event frames. */
  readonly events: readonly string[]
}

const pageSize = 100

export function startListener(baseUrl: string, client: Client): Listener {
  const stopping = new AbortController()
  const connections: Connection[] = []
  const orders = new Map<string, Order>()
  const completedAt = new Map<string, number>()
  let current: Socket | undefined
  let isFetched = false

  const know = (order: Order) => {
    const known = orders.get(order.id)
    if (!known || known.updated_at < order.updated_at) orders.set(order.id, order)
    if (order.status === 'COMPLETED' && !completedAt.has(order.id)) completedAt.set(order.id, performance.now())
  }
  const fetchAll = async () => {
    for (let offset = 0; ; offset += pageSize) {
      const { data } = await client.ask('listOrders', { query: { limit: String(pageSize), offset: String(offset) } })
      data.forEach(know)
      if (data.length < pageSize) return
    }
  }
  const listen = async () => {
    const socket = await connectSocket(baseUrl, client.keys)
    current = socket
    connections.push({ events: socket.events })
    socket.socket.on('message', (bytes: Buffer) => {
      const frame = JSON.parse(bytes.toString()) as { type: string; data?: { order: Order } }
      if (frame.type === 'event' && frame.data) know(frame.data.order)
    })
    await Promise.race([socket.subscribe(), socket.closed])
    await fetchAll()
    isFetched = true
    await socket.closed
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      // A refused or broken connection leads to a new one.
      await listen().catch(() => undefined)
      isFetched = false
      current?.socket.terminate()
      await sleep(20)
    }
  }
  const ended = run()
  return {
    connections,
    orders,
    completedAt,
    isConnected: () => isFetched,
    async stop() {
      stopping.abort()
      current?.socket.terminate()
      await ended
    },
  }
}
