import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import * as z from 'zod'

const Call = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
export type Call = z.output<typeof Call>
export interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Answers in the place of the node, which it may ask. Returns undefined where the true answers stand. */
export type Lie = (calls: readonly Call[], ask: () => Promise<readonly Answer[]>) => Promise<readonly Answer[] | undefined>
export type Behavior = 'silent' | 'failing' | 'dropping' | Lie

/** A proxy between the service and a Solana node that misbehaves on request. */
export interface NodeProxy {
  readonly url: string
  /** Starts misbehaving. The returned function ends it and says how many requests were affected. */
  become(behavior: Behavior): () => number
  close(): Promise<void>
}

export async function startNodeProxy(answer: (body: string) => Promise<string>): Promise<NodeProxy> {
  let behavior: Behavior | undefined
  let met = 0
  const silent = new Set<ServerResponse>()

  async function respond(body: string): Promise<string> {
    if (typeof behavior !== 'function') return answer(body)
    const ask = async () => JSON.parse(await answer(body)) as Answer[]
    const lie = await behavior(z.array(Call).parse(JSON.parse(body)), ask)
    if (!lie) return answer(body)
    met++
    return JSON.stringify(lie)
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (typeof behavior === 'string') {
        met++
        if (behavior === 'silent') return void silent.add(response)
        if (behavior === 'dropping') return void response.destroy()
        return void response.writeHead(500).end('an error')
      }
      respond(Buffer.concat(chunks).toString('utf8')).then(
        (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
        () => response.destroy(),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    become(next) {
      behavior = next
      met = 0
      return () => {
        behavior = undefined
        for (const response of silent) response.destroy()
        silent.clear()
        return met
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
