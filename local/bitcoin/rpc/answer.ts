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

  function answerOne(request: unknown): Reply {
    if (!isObject(request)) return { error: new RpcError(codes.invalidRequest, 'Invalid Request object') }
    const identity = { id: request.id, isVersion2: request.jsonrpc === '2.0' }
    try {
      return { ...identity, result: run(request) }
    } catch (error) {
      return { ...identity, error: error instanceof RpcError ? error : new RpcError(codes.internal, String(error)) }
    }
  }

  function run({ method: name, params = [] }: Readonly<Record<string, unknown>>): unknown {
    if (name === undefined) throw new RpcError(codes.invalidRequest, 'Missing method')
    if (typeof name !== 'string') throw new RpcError(codes.invalidRequest, 'Method must be a string')
    if (!Array.isArray(params) && !isObject(params)) throw new RpcError(codes.invalidRequest, 'Params must be an array or object')
    const found = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (!found) throw new RpcError(codes.unknownMethod, 'Method not found')
    return found.call(node, Array.isArray(params) ? byName(found, params) : known(found, params))
  }

  return (body) => {
    let request: unknown
    try {
      request = JSON.parse(body)
    } catch {
      return reply({ id: null, error: new RpcError(codes.parse, 'Parse error') })
    }
    if (Array.isArray(request)) {
      const replies = request.map(answerOne).filter((each) => !isNotification(each))
      return replies.length === 0 && request.length > 0
        ? { status: 204, body: '' }
        : { status: 200, body: `[${replies.map(write).join(',')}]\n` }
    }
    if (!isObject(request)) return reply({ id: null, error: new RpcError(codes.parse, 'Top-level object parse error') })
    const result = answerOne(request)
    return isNotification(result) ? { status: 204, body: '' } : reply(result)
  }
}

interface Reply {
  readonly id?: unknown
  readonly isVersion2?: boolean
  readonly result?: unknown
  readonly error?: RpcError
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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

const reply = (each: Reply): Answer => ({ status: statusOf(each), body: `${write(each)}\n` })

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
