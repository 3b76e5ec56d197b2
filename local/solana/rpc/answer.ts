import * as z from 'zod'
import type { Ledger } from '../ledger.ts'
import { accountMethods } from './account-methods.ts'
import { codes, type Method, RpcError } from './method.ts'
import { slotMethods } from './slot-methods.ts'
import { transactionMethods } from './transaction-methods.ts'

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).default(null),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
})

const methods: Readonly<Record<string, Method>> = { ...accountMethods, ...slotMethods, ...transactionMethods }

/** Answers JSON-RPC 2.0, one call or a batch of them, which are answered in order. */
export function answering(ledger: Ledger, more: Readonly<Record<string, Method>>): (body: string) => Promise<string> {
  const known: Readonly<Record<string, Method>> = { ...methods, ...more }

  async function respond(request: unknown): Promise<object> {
    const parsed = Request.safeParse(request)
    if (!parsed.success) return problem(null, new RpcError(codes.invalidRequest, 'Invalid request'))
    const { id, method: name, params } = parsed.data
    const found = Object.hasOwn(known, name) ? known[name] : undefined
    if (!found) return problem(id, new RpcError(codes.unknownMethod, 'Method not found'))
    try {
      return { jsonrpc: '2.0', result: await found(ledger, params), id }
    } catch (error) {
      return problem(id, error instanceof RpcError ? error : new RpcError(codes.internal, String(error)))
    }
  }

  return async (body) => {
    const request = parseJson(body)
    if (request === undefined) return writeJson(problem(null, new RpcError(codes.parse, 'Parse error')))
    if (!Array.isArray(request)) return writeJson(await respond(request))
    const answers: object[] = []
    for (const each of request) answers.push(await respond(each))
    return writeJson(answers)
  }
}

const problem = (id: string | number | null, { code, message, data }: RpcError): object => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data !== undefined && { data }) },
  id,
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Integers of 64 bits are JSON numbers, which may have more digits than a double. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `\u0001${member}` : member)).replaceAll(
    /"\\u0001(\d+)"/g,
    '$1',
  )
