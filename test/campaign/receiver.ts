import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type EndpointBehavior = 'well' | 'failing' | 'hanging' | 'redirecting' | 'closing'

export interface Delivered {
  readonly id: string
  readonly signature: string
  readonly body: string
  readonly accepted: boolean
}

export interface WebhookReceiver {
  readonly url: string
  /** All delivery attempts in order of arrival. */
  readonly tries: readonly Delivered[]
  /** Starts misbehaving. The returned function ends it and says how many deliveries were affected. */
  behave(behavior: EndpointBehavior): () => number
  close(): Promise<void>
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const tries: Delivered[] = []
  const hanging = new Set<ServerResponse>()
  let behavior: EndpointBehavior = 'well'
  let met = 0
  const answer = (response: ServerResponse): void => {
    switch (behavior) {
      case 'well':
        return void response.writeHead(200).end()
      case 'failing':
        return void response.writeHead(500).end()
      case 'redirecting':
        return void response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end()
      case 'closing':
        return void response.destroy()
      case 'hanging':
        return void hanging.add(response)
      default:
        return behavior satisfies never
    }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name])
      const isHome = request.url === '/hook'
      tries.push({
        id: header('till-webhook-id'),
        signature: header('till-webhook-signature'),
        body: Buffer.concat(chunks).toString(),
        accepted: behavior === 'well' && isHome,
      })
      if (behavior !== 'well') met++
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    tries,
    behave: (next) => {
      behavior = next
      met = 0
      return () => {
        behavior = 'well'
        for (const response of hanging) response.destroy()
        hanging.clear()
        return met
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
