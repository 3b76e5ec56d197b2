import { type Abi, decodeErrorResult, type Hex } from 'viem'
import * as z from 'zod'
import { ChainUnavailable } from '../chain.ts'
import { post } from './post.ts'

/**
 * JSON-RPC over HTTP needs a transport of our own, while viem encodes and decodes, because
 * 1. calls that must agree go to one node in one request (viem batches by time, and a URL may hide many nodes);
 * 2. every request has a time-out *and* the caller's signal (viem's transport drops the first when given the second);
 * 3. only a stale connection is retried: after any other failure the next request goes to the next URL, and the caller backs off.
 */
export interface Rpc {
  readonly chainId: number
  /** Sends all calls in one request and parses each result with its schema. It rejects if the node returns an error or does not answer. */
  read<const A extends readonly RpcCall<unknown>[]>(signal: AbortSignal, ...calls: A): Promise<{ [K in keyof A]: Result<A[K]> }>
  /** Sends all calls in one request for a caller that handles the node's errors itself. It rejects only without a valid answer. */
  attempt<const A extends readonly RpcCall<unknown>[]>(signal: AbortSignal, ...calls: A): Promise<{ [K in keyof A]: Attempt<Result<A[K]>> }>
}

export interface RpcCall<T> {
  readonly method: string
  readonly params: readonly unknown[]
  readonly answer: z.ZodType<T>
}

type Result<A> = A extends RpcCall<infer T> ? T : never
export type Attempt<T> = { readonly value: T } | { readonly error: RpcError }

const Answer = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
})
const Answers = z.union([Answer.transform((answer) => [answer]), z.array(Answer)])

export function createRpc(chainId: number, urls: readonly string[], timeoutMs = 10_000): Rpc {
  const nodes = urls.map((url) => new URL(url))
  let nodeIndex = 0

  async function send(calls: readonly RpcCall<unknown>[], signal: AbortSignal): Promise<unknown> {
    const messages = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const node = nodes[nodeIndex % nodes.length]!
    try {
      const { status, text } = await post(node, { body: JSON.stringify(messages.length === 1 ? messages[0] : messages), timeoutMs, signal })
      // Some nodes send an RPC error with a 4xx status, so that body is read. A body that is not JSON fails to parse.
      if (status >= 500 || status === 429) throw new Error(`HTTP ${status}`)
      return JSON.parse(text)
    } catch (cause) {
      signal.throwIfAborted()
      nodeIndex++
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new ChainUnavailable(chainId, 'chain_unavailable', `${node.host} did not answer (${reason}).`, { cause })
    }
  }

  async function answers(signal: AbortSignal, calls: readonly RpcCall<unknown>[]): Promise<Attempt<unknown>[]> {
    signal.throwIfAborted()
    if (calls.length === 0) return []
    const parsed = Answers.safeParse(await send(calls, signal))
    if (!parsed.success) throw malformedAnswer(chainId, calls[0]!.method, parsed.error)
    const byId = new Map(parsed.data.map((answer) => [answer.id, answer]))
    return calls.map(({ method, answer }, id) => {
      const found = byId.get(id)
      if (!found) throw new ChainUnavailable(chainId, 'chain_unavailable', `${method} is missing from the batch response.`)
      if (found.error) return { error: new RpcError(method, found.error.code, found.error.message, found.error.data) }
      const value = answer.safeParse(found.result)
      if (!value.success) throw malformedAnswer(chainId, method, value.error)
      return { value: value.data }
    })
  }

  // Each result was parsed by its own call's schema, but a mapped tuple type does not survive `map`, hence `never`.
  return {
    chainId,
    attempt: async (signal, ...calls) => (await answers(signal, calls)) as never,
    read: async (signal, ...calls) => (await answers(signal, calls)).map((answer) => requireValue(chainId, answer)) as never,
  }
}

/** A caller that needs the value treats an error from the node as an unavailable chain. */
export function requireValue<T>(chainId: number, attempt: Attempt<T>): T {
  if ('value' in attempt) return attempt.value
  throw new ChainUnavailable(chainId, 'chain_unavailable', attempt.error.message, { cause: attempt.error })
}

function malformedAnswer(chainId: number, method: string, cause: unknown): ChainUnavailable {
  return new ChainUnavailable(chainId, 'chain_unavailable', `the response to ${method} does not match the JSON-RPC schema.`, { cause })
}

export const isRevert = ({ rpcCode, reason }: RpcError): boolean =>
  rpcCode === 3 || /revert|invalid opcode|out ?of ?gas|OOG|vm execution error/i.test(reason)

/** Decodes a contract's revert reason, if `data` contains one: an error of this ABI, Error(string) or Panic(uint256). */
export function revertError(
  { data }: RpcError,
  abi: Abi = [],
): { readonly errorName: string; readonly args?: readonly unknown[] } | undefined {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{8}/i.test(data)) return undefined
  try {
    return decodeErrorResult({ abi, data: data as Hex })
  } catch {
    return undefined
  }
}

/** The node answered the call with an error. `data` may contain a contract's revert reason. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code = 'rpc_error'

  constructor(
    readonly method: string,
    readonly rpcCode: number,
    readonly reason: string,
    readonly data?: unknown,
  ) {
    super(`${method} returned error ${rpcCode}: ${reason}`)
  }
}
