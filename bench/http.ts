import { Agent, createServer, request, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** This uses `node:http` and not `fetch`, because a slower client would distort what is measured. */
export const call = (method: string, url: string, headers: Record<string, string>, body?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        headers:
          body === undefined ? headers : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        agent,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if ((response.statusCode ?? 500) < 300) resolve(text)
          else reject(new Error(`${method} ${url} answered ${response.statusCode}: ${text}`))
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Serves on a free port of loopback. */
export async function serve(handler: RequestListener) {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
