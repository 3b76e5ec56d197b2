import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import * as z from 'zod'
import { createNode } from './node.ts'
import { answering } from './rpc/answer.ts'

export interface BitcoinNodeOptions {
  /** With a folder the chain and the mempool survive a restart. */
  readonly folder?: string
  readonly port?: number
}

export interface RunningNode {
  /** The URL of its JSON-RPC, with credentials. */
  readonly url: string
  /** Resolves once it has stopped, by `stop` or by the call of that name. */
  readonly stopped: Promise<void>
  stop(): Promise<void>
}

/** A hex block of the largest size fits four times. */
const mostBodyBytes = 32 * 1024 * 1024

/**
 * Starts a Bitcoin node of a chain of its own (regtest) that speaks a real node's JSON-RPC. It has no peers. It verifies payments to a key
 * (P2WPKH, and P2TR by its key), and refuses to spend anything else, packages, and transactions of version 3.
 */
export async function startBitcoinNode({ folder, port = 0 }: BitcoinNodeOptions = {}): Promise<RunningNode> {
  const node = createNode(folder)
  const password = randomBytes(16).toString('hex')
  const authorization = Buffer.from(`Basic ${Buffer.from(`till:${password}`).toString('base64')}`)
  const answer = answering(node, () => void stop())
  const server = createServer((request, response) => {
    const refused = refusal(request, authorization)
    if (refused !== undefined) {
      response.writeHead(refused, refused === 401 ? { 'www-authenticate': 'Basic realm="jsonrpc"' } : {}).end()
      return
    }
    readBody(request).then(
      (body) => {
        const { status, body: text } = answer(body)
        const closing = server.listening ? {} : { connection: 'close' }
        response.writeHead(status, { 'content-type': 'application/json', ...closing }).end(text)
      },
      () => response.writeHead(413).end(),
    )
  })
  // A connection that the node closes while a request is on its way would look like a node that has stopped.
  server.keepAliveTimeout = 0
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    node.close()
    throw error
  }
  const { port: bound } = z.object({ port: z.number() }).parse(server.address())
  const stopped = once(server, 'close').then(() => node.close())
  async function stop(): Promise<void> {
    server.close()
    server.closeIdleConnections()
    await stopped
  }
  return { url: `http://till:${password}@127.0.0.1:${bound}`, stopped, stop }
}

/** Returns the status code of a request that is not answered. */
function refusal({ method, headers }: IncomingMessage, authorization: Buffer): number | undefined {
  if (method !== 'POST') return 405
  const given = Buffer.from(headers.authorization ?? '')
  return given.length === authorization.length && timingSafeEqual(given, authorization) ? undefined : 401
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostBodyBytes) throw new Error('The body is too large.')
  }
  return Buffer.concat(chunks).toString('utf8')
}
