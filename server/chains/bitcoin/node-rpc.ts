import * as z from 'zod'
import { ChainUnavailable } from '../chain.ts'
import { httpClient } from '../http-client.ts'

/** A Bitcoin node's JSON-RPC. Credentials are sent in a header, and are in no message. */
export interface NodeRpc {
  /** The node's host, for messages. */
  readonly name: string
  /** Resolves to what the node answers to each call, which may be an error. It rejects with ChainUnavailable without a whole answer. */
  attempt<T>(calls: readonly NodeCall<T>[], signal: AbortSignal): Promise<readonly NodeAnswer<T>[]>
  /** Rejects with ChainUnavailable also if the node answers with an error. */
  read<T>(call: NodeCall<T>, signal: AbortSignal): Promise<T>
}

export interface NodeCall<T> {
  readonly method: string
  readonly params: readonly unknown[]
  readonly answer: z.ZodType<T>
}

export type NodeAnswer<T> = { readonly value: T } | { readonly error: NodeError }

export interface NodeError {
  readonly code: number
  readonly message: string
}

export interface NodeRpcOptions {
  readonly chainId: number
  readonly url: string
  /** `USER:PASSWORD`, instead of what the URL contains. */
  readonly auth: string | undefined
  readonly timeoutMs: number
}

/** A node's error codes, as far as they mean something here. */
export const codes = { notFound: -5, outOfRange: -8, verify: -25, rejected: -26, alreadyMined: -27, warmingUp: -28 } as const

/** A whole block in hex fits, and so do as many transactions of the largest size that is relayed as one request asks for. */
const mostBytes = 64 * 1024 * 1024
const callsPerRequest = 50

const Answers = z.array(
  z.object({
    id: z.number(),
    result: z.unknown().optional(),
    error: z.object({ code: z.number(), message: z.string() }).nullish(),
  }),
)

export function nodeRpc({ chainId, url, auth, timeoutMs }: NodeRpcOptions): NodeRpc {
  const { host, username, password } = new URL(url)
  const credentials = auth ?? (username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : undefined)
  const headers = {
    'content-type': 'application/json',
    ...(credentials !== undefined && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  const request = httpClient({ chainId, url, timeoutMs })
  const unavailable = (message: string, cause?: unknown) =>
    new ChainUnavailable(chainId, 'chain_unavailable', message, cause === undefined ? {} : { cause })

  async function send<T>(calls: readonly NodeCall<T>[], signal: AbortSignal): Promise<readonly NodeAnswer<T>[]> {
    // A batch has status 200 in every version of the protocol, even if all its calls fail, so one call is a batch too.
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '1.0', id, method, params })))
    const response = await request({ path: '/', method: 'POST', headers, body, mostBytes }, signal)
    if (response.status === 401 || response.status === 403) throw unavailable(`${host} refuses the credentials (${response.status}).`)
    if (response.status !== 200) throw unavailable(`${host} answered with status ${response.status}.`)
    const method = calls[0]?.method
    const parsed = Answers.safeParse(jsonOf(response.body))
    if (!parsed.success) throw unavailable(`the answer of ${host} to ${method} is not JSON-RPC.`, parsed.error)
    const byId = new Map(parsed.data.map((answer) => [answer.id, answer]))
    return calls.map((call, id): NodeAnswer<T> => {
      const answer = byId.get(id)
      if (!answer) throw unavailable(`${host} did not answer ${call.method} in a batch.`)
      if (answer.error?.code === codes.warmingUp) throw unavailable(`${host} is starting (${answer.error.message}).`)
      if (answer.error) return { error: answer.error }
      const value = call.answer.safeParse(answer.result)
      if (!value.success) throw unavailable(`the answer of ${host} to ${call.method} does not match its schema.`, value.error)
      return { value: value.data }
    })
  }

  async function attempt<T>(calls: readonly NodeCall<T>[], signal: AbortSignal): Promise<readonly NodeAnswer<T>[]> {
    const answers: NodeAnswer<T>[] = []
    for (let start = 0; start < calls.length; start += callsPerRequest)
      answers.push(...(await send(calls.slice(start, start + callsPerRequest), signal)))
    return answers
  }

  return {
    name: host,
    attempt,
    async read(call, signal) {
      const [answer] = await attempt([call], signal)
      if (answer && 'value' in answer) return answer.value
      throw unavailable(`${host} answered ${call.method} with error ${answer?.error.code} (${answer?.error.message}).`)
    },
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
