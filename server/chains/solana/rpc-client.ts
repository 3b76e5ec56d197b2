import * as z from 'zod'
import { ChainUnavailable } from '../chain.ts'
import { httpClient } from '../http-client.ts'

/** A cluster's JSON-RPC. A node that fails goes to the end of the line, so the caller's next request goes to the next one. */
export interface SolanaRpc {
  /** Sends the calls in one request, so that usually one node answers them all. Rejects with ChainUnavailable without every result. */
  read<const C extends readonly SolanaCall<unknown>[]>(signal: AbortSignal, ...calls: C): Promise<{ [K in keyof C]: ResultOf<C[K]> }>
  /** Resolves to a result or the node's error for each call. */
  attempt<const C extends readonly SolanaCall<unknown>[]>(
    signal: AbortSignal,
    ...calls: C
  ): Promise<{ [K in keyof C]: SolanaAnswer<ResultOf<C[K]>> }>
}

export interface SolanaCall<T> {
  readonly method: string
  readonly params: readonly unknown[]
  readonly answer: z.ZodType<T>
}

type ResultOf<C> = C extends SolanaCall<infer T> ? T : never

export type SolanaAnswer<T> = { readonly value: T } | { readonly error: SolanaError }

export interface SolanaError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

const Answers = z.array(
  z.object({
    id: z.number(),
    result: z.unknown().optional(),
    error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
  }),
)

/** A hundred accounts or transactions fit many times. */
const mostBytes = 64 * 1024 * 1024

export interface RpcClientOptions {
  readonly chainId: number
  readonly urls: readonly string[]
  readonly timeoutMs: number
}

export function rpcClient({ chainId, urls, timeoutMs }: RpcClientOptions): SolanaRpc {
  const nodes = urls.map((url) => ({ host: new URL(url).host, request: httpClient({ chainId, url, timeoutMs }) }))
  let turn = 0
  const unavailable = (message: string, cause?: unknown) =>
    new ChainUnavailable(chainId, 'chain_unavailable', message, cause === undefined ? {} : { cause })

  async function answersOf(calls: readonly SolanaCall<unknown>[], signal: AbortSignal): Promise<SolanaAnswer<unknown>[]> {
    const { host, request } = nodes[turn % nodes.length]!
    try {
      const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
      const headers = { 'content-type': 'application/json' }
      const response = await request({ path: '', method: 'POST', headers, body, mostBytes }, signal)
      if (response.status !== 200) throw unavailable(`${host} answered with status ${response.status}.`)
      const parsed = Answers.safeParse(parseJson(response.body))
      if (!parsed.success) throw unavailable(`the answer of ${host} to ${calls[0]?.method} is not JSON-RPC.`, parsed.error)
      const byId = new Map(parsed.data.map((answer) => [answer.id, answer]))
      return calls.map((call, id) => {
        const answer = byId.get(id)
        if (!answer) throw unavailable(`${host} did not answer ${call.method} in a batch.`)
        if (answer.error) return { error: answer.error }
        const value = call.answer.safeParse(answer.result)
        if (!value.success) throw unavailable(`the answer of ${host} to ${call.method} does not match its schema.`, value.error)
        return { value: value.data }
      })
    } catch (error) {
      if (error instanceof ChainUnavailable) turn++
      throw error
    }
  }

  // Each result was parsed by its own call's schema, but a mapped tuple type does not survive `map`, hence `never`.
  return {
    attempt: async (signal, ...calls) => (calls.length === 0 ? [] : await answersOf(calls, signal)) as never,
    read: async (signal, ...calls) =>
      (calls.length === 0 ? [] : await answersOf(calls, signal)).map((answer, i) => {
        if ('value' in answer) return answer.value
        // Another node may know what this one does not.
        turn++
        throw unavailable(`a node answered ${calls[i]?.method} with error ${answer.error.code} (${answer.error.message}).`)
      }) as never,
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
