import * as z from 'zod'
import type { Node } from '../node.ts'
import { blockMethods } from './blocks.ts'
import { controlMethods } from './control.ts'
import { writeJson } from './json.ts'
import { mempoolMethods } from './mempool.ts'
import { codes, method, RpcError, type Method } from './method.ts'
import { miningMethods } from './mining.ts'
import { transactionMethods } from './transactions.ts'

export interface Answer {
  readonly status: number
  readonly body: string
}

const Request = z.object({
  id: z.unknown().optional(),
  jsonrpc: z.unknown().optional(),
  method: z.unknown().optional(),
  params: z.unknown().optional(),
})
const Params = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).default([])

/**
 * Answers JSON-RPC as a real node does:
 *
 * 1. Requests without `"jsonrpc": "2.0"` follow version 1: result and error are both present, and an error sets the HTTP status.
 * 2. Requests with it follow version 2: one of them is present, and the status is 200. Without an id there is no answer.
 * 3. A batch is answered in order with status 200.
 */
export function answering(node: Node, stop: () => void): (body: string) => Answer {
  const methods: Readonly<Record<string, Method>> = {
    ...blockMethods,
    ...mempoolMethods,
    ...transactionMethods,
    ...miningMethods,
    ...controlMethods,
    stop: method({}, () => {
      stop()
      return 'Till regtest stopping'
    }),
  }

  function respond(request: unknown): Reply {
    const parsed = Request.safeParse(request)
    if (!parsed.success) return { error: new RpcError(codes.invalidRequest, 'Invalid Request object') }
    const { id, jsonrpc, method: name, params } = parsed.data
    const identity = { id, isVersion2: jsonrpc === '2.0' }
    try {
      return { ...identity, result: run(name, params) }
    } catch (error) {
      return { ...identity, error: error instanceof RpcError ? error : new RpcError(codes.internal, String(error)) }
    }
  }

  function run(name: unknown, given: unknown): unknown {
    if (name === undefined) throw new RpcError(codes.invalidRequest, 'Missing method')
    if (typeof name !== 'string') throw new RpcError(codes.invalidRequest, 'Method must be a string')
    const params = Params.safeParse(given)
    if (!params.success) throw new RpcError(codes.invalidRequest, 'Params must be an array or object')
    const found = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (!found) throw new RpcError(codes.unknownMethod, 'Method not found')
    return found.call(node, Array.isArray(params.data) ? byName(found, params.data) : known(found, params.data))
  }

  return (body) => {
    let request: unknown
    try {
      request = JSON.parse(body)
    } catch {
      return reply({ id: null, error: new RpcError(codes.parse, 'Parse error') })
    }
    if (Array.isArray(request)) {
      const replies = request.map(respond).filter((answer) => !isNotification(answer))
      return replies.length === 0 && request.length > 0
        ? { status: 204, body: '' }
        : { status: 200, body: `[${replies.map(write).join(',')}]\n` }
    }
    if (!Request.safeParse(request).success) return reply({ id: null, error: new RpcError(codes.parse, 'Top-level object parse error') })
    const result = respond(request)
    return isNotification(result) ? { status: 204, body: '' } : reply(result)
  }
}

interface Reply {
  readonly id?: unknown
  readonly isVersion2?: boolean
  readonly result?: unknown
  readonly error?: RpcError
}

const isNotification = ({ id, isVersion2 }: Reply) => isVersion2 === true && id === undefined

function byName({ names }: Method, params: readonly unknown[]): Record<string, unknown> {
  if (params.length > names.length) throw new RpcError(codes.usage, `usage: ${names.join(' ')}`)
  return Object.fromEntries(params.map((value, index) => [names[index]!, value]))
}

function known({ names }: Method, params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const unknown = Object.keys(params).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new RpcError(codes.parameter, `Unknown named parameter ${unknown}`)
  return params
}

const reply = (answer: Reply): Answer => ({ status: statusOf(answer), body: `${write(answer)}\n` })

function statusOf({ isVersion2, error }: Reply): number {
  if (!error || isVersion2) return 200
  if (error.code === codes.invalidRequest) return 400
  return error.code === codes.unknownMethod ? 404 : 500
}

function write({ id, isVersion2, result = null, error }: Reply): string {
  const problem = error && { code: error.code, message: error.message }
  if (isVersion2) return writeJson(problem ? { jsonrpc: '2.0', error: problem, id } : { jsonrpc: '2.0', result, id })
  return writeJson({ result, error: problem ?? null, id })
}
