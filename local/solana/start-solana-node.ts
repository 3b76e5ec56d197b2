import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import * as z from 'zod'
import { createMutex } from '../chains/mutex.ts'
import { type Journal, openJournal } from '../journal.ts'
import { createFaucet, type Faucet } from './faucet.ts'
import { createLedger, type Ledger, type LedgerEntry } from './ledger.ts'
import { answering } from './rpc/answer.ts'
import { Address, method } from './rpc/method.ts'
import { subscriber } from './subscriptions.ts'

export interface SolanaNodeOptions {
  /** With a folder the chain survives a restart. */
  readonly folder?: string
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
  readonly faucet: Faucet
  /** Slots follow each other only on request while `run` lasts. */
  byHand<T>(run: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

const mostBodyBytes = 1024 * 1024

/**
 * Starts a Solana node of a chain of its own that speaks a real node's JSON-RPC and PubSub. Programs, fees, rent and signatures are the real runtime's.
 * There are no validators: slots, commitments and forks are simulated, and only what clients of ours and of the official libraries call is served.
 */
export async function startSolanaNode({ port = 0, slots, finalAfter, folder }: SolanaNodeOptions): Promise<SolanaNode> {
  let journal: Journal | undefined
  const ledger = createLedger({
    ...(finalAfter !== undefined && { finalAfter }),
    record: (entry) => journal?.append(encodeEntry(entry)),
  })
  const faucet = await createFaucet(ledger)
  if (folder !== undefined) {
    journal = openJournal(join(folder, 'transactions.dat'), (record) => ledger.replay(decodeEntry(record)))
    const emptyMs = Date.now() - ledger.tip('processed').time * 1000
    ledger.resume(slots === 'manual' ? 1 : Math.max(1, Math.ceil(emptyMs / slots.ms)))
  }
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
  // A connection that the node closes while a request is on its way would look like a node that has stopped.
  server.keepAliveTimeout = 0
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
  const mutex = createMutex()
  let isByHand = false
  const timer = slots === 'manual' ? undefined : setInterval(() => isByHand || ledger.advance(1), slots.ms)
  return {
    url: `http://127.0.0.1:${bound}`,
    wsUrl: `ws://127.0.0.1:${bound}`,
    ledger,
    faucet,
    byHand: (run) =>
      mutex(async () => {
        isByHand = true
        return run().finally(() => (isByHand = false))
      }),
    async stop() {
      clearInterval(timer)
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
      journal?.close()
    },
  }
}

const RecordedBlock = z.object({ slot: z.int(), height: z.int(), hash: z.string(), time: z.int() })
const Recorded = z.union([z.object({ block: RecordedBlock, bytes: z.base64() }), z.object({ dropped_after: z.int() })])

const encodeEntry = (entry: LedgerEntry): Buffer =>
  Buffer.from(
    JSON.stringify(
      entry.is === 'fork' ? { dropped_after: entry.slot } : { block: entry.block, bytes: Buffer.from(entry.bytes).toString('base64') },
    ),
  )

function decodeEntry(record: Uint8Array): LedgerEntry {
  const entry = Recorded.parse(JSON.parse(Buffer.from(record).toString('utf8')))
  if ('dropped_after' in entry) return { is: 'fork', slot: entry.dropped_after }
  return { is: 'transaction', block: entry.block, bytes: Uint8Array.from(Buffer.from(entry.bytes, 'base64')) }
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
