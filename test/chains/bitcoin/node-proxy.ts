import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import * as z from 'zod'

const Call = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
const Answer = z.object({ id: z.number(), result: z.unknown(), error: z.object({ code: z.number(), message: z.string() }).nullable() })

export type Call = Omit<z.output<typeof Call>, 'id'>
export type Answer = Omit<z.output<typeof Answer>, 'id'>

/** Answers a call in the place of the node, or returns undefined to pass the node's answer on. */
export type Lie = (call: Call, ask: (method: string, ...params: readonly unknown[]) => Promise<unknown>) => Promise<Answer | undefined>

export type ProxyBehavior = 'silent' | 'failing' | 'dropping' | Lie

/** A proxy between the service and a Bitcoin node that misbehaves on request. */
export interface NodeProxy {
  readonly url: string
  /** Starts misbehaving. The returned function ends it and says how many requests or answers were affected. */
  become(behavior: ProxyBehavior): () => number
  /** From now on it stands before a node that has restarted with another URL. */
  follow(nodeUrl: string): void
  close(): Promise<void>
}

export const answer = (result: unknown): Answer => ({ result, error: null })
export const refusal = (code: number): Answer => ({ result: null, error: { code, message: 'the node lies' } })

export async function startNodeProxy(nodeUrl: string): Promise<NodeProxy> {
  let target = new URL(nodeUrl)
  let behavior: ProxyBehavior | undefined
  let met = 0
  const silent = new Set<ServerResponse>()

  async function forward(body: string): Promise<string> {
    const { origin, username, password } = target
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const headers = { 'content-type': 'application/json', authorization }
    return (await fetch(origin, { method: 'POST', headers, body })).text()
  }
  async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const [{ result } = { result: undefined }] = z
      .array(Answer)
      .parse(JSON.parse(await forward(JSON.stringify([{ jsonrpc: '1.0', id: 0, method, params }]))))
    return result
  }
  async function respond(body: string): Promise<string> {
    if (typeof behavior !== 'function') return forward(body)
    const lie = behavior
    const answers = z.array(Answer).parse(JSON.parse(await forward(body)))
    for (const [i, call] of z.array(Call).parse(JSON.parse(body)).entries()) {
      const lied = await lie(call, ask)
      if (!lied) continue
      met++
      answers[i] = { id: call.id, ...lied }
    }
    return JSON.stringify(answers)
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (behavior !== undefined && typeof behavior === 'string') {
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
    follow: (moved) => void (target = new URL(moved)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
