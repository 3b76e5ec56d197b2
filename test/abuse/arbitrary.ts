import fc from 'fast-check'
import { toJSONSchema } from 'zod'
import type * as z from 'zod/mini'

/** The subset of JSON Schema that our schemas use. */
interface Shape {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** Generates values that a schema accepts, or nearly: refinements in code are missing from its JSON Schema. */
export const arbitraryOf = (schema: z.ZodMiniType): fc.Arbitrary<unknown> =>
  from(toJSONSchema(schema as never, { unrepresentable: 'any', io: 'input' }) as Shape)

function from(shape: Shape): fc.Arbitrary<unknown> {
  if ('const' in shape) return fc.constant(shape.const)
  if (shape.enum) return fc.constantFrom(...shape.enum)
  const either = shape.anyOf ?? shape.oneOf
  if (either) return fc.oneof(...either.map(from))
  switch (shape.type) {
    case 'object': {
      const entries = Object.entries(shape.properties ?? {})
      return fc.record(Object.fromEntries(entries.map(([name, inner]) => [name, from(inner)])), {
        requiredKeys: [...(shape.required ?? [])],
        noNullPrototype: true,
      })
    }
    case 'array':
      return fc.array(from(shape.items ?? {}), {
        minLength: shape.minItems,
        maxLength: Math.min(shape.maxItems ?? 5, (shape.minItems ?? 0) + 5),
      })
    case 'string':
      return text(shape)
    case 'integer':
      return fc.integer({ min: clamp(shape.minimum ?? 0), max: clamp(shape.maximum ?? 1_000_000) })
    case 'number':
      return fc.double({ min: shape.minimum ?? 0, max: shape.maximum ?? 1e12, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.oneof(fc.webUrl({ validSchemes: ['https'] }), fc.string())
  }
}

const clamp = (value: number): number => Math.max(-2_147_483_648, Math.min(2_147_483_647, value))

function text({ pattern, format, minLength = 0, maxLength = 300 }: Shape): fc.Arbitrary<string> {
  if (format === 'email') return fc.emailAddress()
  if (format === 'date')
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((day) => day.toISOString().slice(0, 10))
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'] })
  const bounded = { minLength, maxLength: Math.min(maxLength, 300) }
  return pattern === undefined || pattern.startsWith('^[^')
    ? fc.oneof(fc.webUrl({ validSchemes: ['https'] }), fc.string({ ...bounded, unit: 'grapheme' }))
    : fc.stringMatching(new RegExp(pattern.replaceAll('\\d', '[0-9]')))
}
