import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Delivered {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly at: number
}

/** A merchant's endpoint on this machine that records its deliveries and answers as configured. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly delivered: readonly Delivered[]
  /** Returns the answer to a delivery, 200 by default. Undefined never answers. */
  answer: (delivery: Delivered, index: number) => { status: number; headers?: Record<string, string> } | undefined
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const delivered: Delivered[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const delivery = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks), at: performance.now() }
      delivered.push(delivery)
      const reply = receiver.answer(delivery, delivered.length - 1)
      if (reply) response.writeHead(reply.status, reply.headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    delivered,
    answer: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
