import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PriceSourceUnderTest } from '../contracts/price-source.ts'

type Answer = Parameters<PriceSourceUnderTest['publish']>[0]

export interface Publisher {
  readonly url: string
  readonly publish: (answer: Answer) => Promise<void>
  /** When it answered last, or would have, in unix milliseconds. */
  readonly answeredAt: () => number
  /** The paths that were asked for. */
  readonly asked: string[]
  stop(): Promise<void>
}

/** Answers like a public API: `usual` says with what, and `zero` with prices that are none. */
export async function startPublisher(usual: (path: URL) => unknown, zero: (path: URL) => unknown): Promise<Publisher> {
  let answer: Answer = 'usual'
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://publisher')
    asked.push(path.pathname + path.search)
    switch (answer) {
      case 'silence':
        return
      case 'an error':
        return void response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(usual(path)))
      case 'garbage':
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":["x"],"data":7,"result":')
      case 'zero':
      case 'usual': {
        const json = answer === 'usual' ? usual(path) : zero(path)
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
      }
      default:
        return answer satisfies never
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: async (next) => void (answer = next),
    answeredAt: Date.now,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
