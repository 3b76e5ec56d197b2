import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A WalletConnect relay. It stores encrypted messages by topic for later subscribers and cannot read them. */
export interface Relay {
  readonly url: string
  readonly clients: () => number
  /** The names of the methods that clients called. */
  readonly requests: readonly string[]
  /** Cuts every connection and refuses new ones until it is up again. */
  down(): void
  up(): void
  close(): Promise<void>
}

interface Letter {
  readonly topic: string
  readonly message: string
  readonly publishedAt: number
  readonly tag: number
}

interface Call {
  readonly id: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

export async function startRelay(): Promise<Relay> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.once('listening', resolve))
  const kept = new Map<string, { readonly letter: Letter; readonly from: WebSocket }[]>()
  const readers = new Map<string, Map<WebSocket, string>>()
  const requests: string[] = []
  let isDown = false
  let made = 0

  const send = (socket: WebSocket, frame: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }))
  const bring = (socket: WebSocket, subscription: string, data: Letter) =>
    send(socket, { id: Date.now() * 1_000 + ++made, method: 'irn_subscription', params: { id: subscription, data } })
  const subscribe = (socket: WebSocket, topic: string): string => {
    const of = readers.get(topic) ?? new Map<WebSocket, string>()
    readers.set(topic, of)
    const known = of.get(socket)
    if (known) return known
    const subscription = `s${++made}`
    of.set(socket, subscription)
    for (const { letter, from } of kept.get(topic) ?? []) if (from !== socket) bring(socket, subscription, letter)
    return subscription
  }
  const publish = (from: WebSocket, topic: string, message: unknown, tag: unknown) => {
    const letter = { topic, message: String(message), publishedAt: Date.now(), tag: Number(tag ?? 0) }
    kept.set(topic, [...(kept.get(topic) ?? []), { letter, from }])
    for (const [socket, subscription] of readers.get(topic) ?? []) if (socket !== from) bring(socket, subscription, letter)
  }
  const answer = (socket: WebSocket, method: string, params: Readonly<Record<string, unknown>>): unknown => {
    const topics = (params.topics ?? []) as string[]
    switch (method) {
      case 'irn_subscribe':
        return subscribe(socket, String(params.topic))
      case 'irn_batchSubscribe':
        return topics.map((topic) => subscribe(socket, topic))
      case 'irn_unsubscribe':
        return readers.get(String(params.topic))?.delete(socket) ?? true
      case 'irn_batchUnsubscribe':
        for (const topic of topics) readers.get(topic)?.delete(socket)
        return true
      case 'irn_publish':
        publish(socket, String(params.topic), params.message, params.tag)
        return true
      case 'irn_batchFetchMessages':
        return {
          messages: topics.flatMap((topic) => (kept.get(topic) ?? []).flatMap(({ letter, from }) => (from === socket ? [] : [letter]))),
          hasMore: false,
        }
      case 'wc_proposeSession':
        subscribe(socket, String(params.pairingTopic))
        publish(socket, String(params.pairingTopic), params.sessionProposal, 1100)
        return true
      case 'wc_approveSession':
        subscribe(socket, String(params.sessionTopic))
        publish(socket, String(params.pairingTopic), params.sessionProposalResponse, 1101)
        publish(socket, String(params.sessionTopic), params.sessionSettlementRequest, 1102)
        return true
      default:
        throw new Error(`the relay does not know ${method}`)
    }
  }
  server.on('connection', (socket) => {
    if (isDown) return socket.terminate()
    socket.on('message', (bytes) => {
      const { id, method, params = {} } = JSON.parse(String(bytes)) as Call
      if (method === undefined) return
      requests.push(method)
      try {
        send(socket, { id, result: answer(socket, method, params) })
      } catch (error) {
        send(socket, { id, error: { code: -32601, message: String(error) } })
      }
    })
    socket.on('close', () => {
      for (const of of readers.values()) of.delete(socket)
    })
  })
  const cut = () => {
    for (const socket of server.clients) socket.terminate()
  }
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients: () => server.clients.size,
    requests,
    down: () => {
      isDown = true
      cut()
    },
    up: () => {
      isDown = false
    },
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
