import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'

/**
 * How a node's socket misbehaves: it closes each connection at once, never finishes the handshake, takes everything and says nothing, or sends what
 * it likes.
 */
export type SocketBehavior = 'closing' | 'hanging' | 'silent' | ((send: (text: string) => void, received: string) => void)

/** A proxy between the service and the socket of a Solana node that misbehaves on request. */
export interface SocketProxy {
  readonly url: string
  /** When clients have connected, in ms. */
  readonly connectedAt: readonly number[]
  /** What clients have sent. */
  readonly received: readonly { readonly method: string; readonly params: readonly unknown[] }[]
  /** How many answers of the node they have got. */
  answered(): number
  clients(): number
  /** Connections that exist are closed, and those that follow misbehave. */
  become(behavior: SocketBehavior | undefined): void
  close(): Promise<void>
}

const Request = z.object({ method: z.string(), params: z.array(z.unknown()) })

export async function startSocketProxy(nodeUrl: string): Promise<SocketProxy> {
  let behavior: SocketBehavior | undefined
  const connectedAt: number[] = []
  const received: z.output<typeof Request>[] = []
  const streams = new Set<Duplex>()
  let answered = 0
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })

  server.on('upgrade', (request, stream, head) => {
    connectedAt.push(performance.now())
    streams.add(stream)
    stream.on('close', () => streams.delete(stream)).on('error', () => stream.destroy())
    if (behavior === 'hanging') return
    if (behavior === 'closing') return void stream.destroy()
    const how = behavior
    sockets.handleUpgrade(request, stream, head, (client) => serve(client, how))
  })

  function serve(client: WebSocket, how: Exclude<SocketBehavior, 'closing' | 'hanging'> | undefined): void {
    const node = how === undefined ? new WebSocket(nodeUrl) : undefined
    const waiting: string[] = []
    node?.on('open', () => waiting.splice(0).forEach((text) => node.send(text)))
    node?.on('message', (data) => {
      const text = data.toString()
      client.send(text)
      if ('id' in (JSON.parse(text) as object)) answered++
    })
    node?.on('error', () => client.terminate())
    if (how !== 'silent') client.on('ping', () => client.pong())
    client.on('message', (data) => {
      const text = data.toString()
      received.push(Request.parse(JSON.parse(text)))
      if (typeof how === 'function') return how((answer) => client.send(answer), text)
      if (node?.readyState === WebSocket.OPEN) node.send(text)
      else waiting.push(text)
    })
    client.on('close', () => node?.terminate())
    client.on('error', () => client.terminate())
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  const drop = () => streams.forEach((stream) => stream.destroy())
  return {
    url: `ws://127.0.0.1:${port}`,
    connectedAt,
    received,
    answered: () => answered,
    clients: () => streams.size,
    become(next) {
      behavior = next
      drop()
    },
    async close() {
      drop()
      server.close()
      await once(server, 'close')
    },
  }
}
