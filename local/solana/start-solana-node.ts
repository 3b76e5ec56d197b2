import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { WebSocketServer } from 'ws'
import * as z from 'zod'
import { createFaucet } from './faucet.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { answering } from './rpc/answer.ts'
import { Address, method } from './rpc/method.ts'
import { subscriber } from './subscriptions.ts'

export interface SolanaNodeOptions {
  readonly port?: number
  /** Slots follow each other at this interval, or when the caller advances the ledger. */
  readonly slots: { readonly ms: number } | 'manual'
  /** A block is final once so many follow it. */
  readonly finalAfter?: number
}

export interface SolanaNode {
  readonly url: string
  /** Subscriptions are on the same port. */
  readonly wsUrl: string
  /** What a validator would do by itself, for tests. */
  readonly ledger: Ledger
  stop(): Promise<void>
}

const mostBodyBytes = 1024 * 1024

/**
 * Starts a Solana node of a chain of its own that speaks a real node's JSON-RPC and PubSub. Programs, fees, rent and signatures are the real runtime's.
 * There are no validators: slots, commitments and forks are simulated, and only what clients of ours and of the official libraries call is served.
 */
export async function startSolanaNode({ port = 0, slots, finalAfter }: SolanaNodeOptions): Promise<SolanaNode> {
  const ledger = createLedger({ ...(finalAfter !== undefined && { finalAfter }) })
  const faucet = await createFaucet(ledger)
  const answer = answering(ledger, {
    requestAirdrop: method([Address, z.int().min(1)], (_, to, amount) => faucet.pay(to, BigInt(amount))),
  })
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    readBody(request)
      .then(answer)
      .then(
        (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
        () => response.writeHead(413).end(),
      )
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    const client = subscriber(ledger, (text) => socket.send(text))
    const stopListening = ledger.onChange(client.update)
    socket.on('message', (data: Buffer) => {
      try {
        client.receive(data.toString())
      } catch {
        // A client that speaks something else gets no answer, as from a real node.
        socket.close(1003)
      }
    })
    socket.on('close', stopListening)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: bound } = z.object({ port: z.number() }).parse(server.address())
  const timer = slots === 'manual' ? undefined : setInterval(() => ledger.advance(1), slots.ms)
  return {
    url: `http://127.0.0.1:${bound}`,
    wsUrl: `ws://127.0.0.1:${bound}`,
    ledger,
    async stop() {
      clearInterval(timer)
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostBodyBytes) throw new Error('The body is too large.')
  }
  return Buffer.concat(chunks).toString('utf8')
}
