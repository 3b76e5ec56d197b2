import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'

/** Parses the value and fails on members that the schema would drop. */
export function readExactly<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const parsed = z.safeParse(schema, value)
  if (!parsed.success)
    throw new Error(`does not fit its schema: ${JSON.stringify(parsed.error.issues)}\n${JSON.stringify(value).slice(0, 2_000)}`)
  const kept: unknown = JSON.parse(JSON.stringify(parsed.data))
  if (!isDeepStrictEqual(kept, value))
    throw new Error(`has members that its schema does not know:\n${JSON.stringify(value)}\n${JSON.stringify(kept)}`)
  return parsed.data
}
