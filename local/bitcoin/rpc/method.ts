import * as z from 'zod'
import { fromHex } from '../bytes.ts'
import type { Node } from '../node.ts'

/** A real node's error codes. */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  internal: -32603,
  usage: -1,
  type: -3,
  notFound: -5,
  parameter: -8,
  deserialization: -22,
  verify: -25,
  rejected: -26,
  alreadyKnown: -27,
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface Method {
  /** Parameters by position, or by name. */
  readonly names: readonly string[]
  call(node: Node, params: Readonly<Record<string, unknown>>): unknown
}

/** The shape's keys are the parameters' names, in the order of their positions. */
export function method<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  run: (node: Node, params: z.output<z.ZodObject<Shape>>) => unknown,
): Method {
  const schema = z.object(shape)
  const names = Object.keys(shape)
  return {
    names,
    call(node, given) {
      const params = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]))
      const parsed = schema.safeParse(params)
      if (!parsed.success) throw refusal(parsed.error.issues, names, given)
      return run(node, parsed.data)
    },
  }
}

function refusal(issues: readonly z.core.$ZodIssue[], names: readonly string[], given: Readonly<Record<string, unknown>>): RpcError {
  if (issues.some(({ path }) => given[`${String(path[0])}`] === undefined)) return new RpcError(codes.usage, `usage: ${names.join(' ')}`)
  const [wrong] = issues.filter((issue) => issue.code === 'invalid_type' && issue.path.length === 1)
  if (!wrong) return new RpcError(codes.parameter, `Invalid parameter, ${issues[0]!.message}`)
  const name = String(wrong.path[0])
  const expected = 'expected' in wrong ? wrong.expected : 'another'
  if (typeof given[name] === 'number') return new RpcError(codes.usage, 'JSON integer out of range')
  const line = `"Position ${names.indexOf(name) + 1} (${name})": "JSON value of type ${jsonTypeOf(given[name])} is not of expected type ${expected === 'int' ? 'number' : expected}"`
  return new RpcError(codes.type, `Wrong type passed:\n{\n    ${line}\n}`)
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Checks the form of a hash, which a real node does with messages of its own. */
export function parseHash(text: string, name: string): string {
  if (text.length !== 64) throw new RpcError(codes.parameter, `${name} must be of length 64 (not ${text.length}, for '${text}')`)
  if (!fromHex(text)) throw new RpcError(codes.parameter, `${name} must be hexadecimal string (not '${text}')`)
  return text.toLowerCase()
}

/** An amount is a number or a text with at most eight digits after the point. */
export function parseAmount(value: number | string): bigint {
  // A number's shortest decimal text may have an exponent, and eight digits are exact for every amount that exists.
  const text = typeof value === 'number' ? value.toFixed(8) : value
  const found = /^(-?)(\d{1,8})(?:\.(\d{1,8}))?$/.exec(text)
  if (!found || (typeof value === 'number' && Number(text) !== value)) throw new RpcError(codes.type, 'Invalid amount')
  const [, sign, whole = '', fraction = ''] = found
  const amount = BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0'))
  if (sign || amount > 2_100_000_000_000_000n) throw new RpcError(codes.type, 'Amount out of range')
  return amount
}

/** Levels of detail were booleans once. */
export const Verbosity = z.union([z.int(), z.boolean().transform(Number)])
