import recorded from './examples.json' with { type: 'json' }
import { alternatives, type Description, nameOf, type Schema } from './schema.ts'

/** A real service sent these responses. test/docs/reference-examples.test.ts records them, and fails if members or a status differ. */
export const examples: Readonly<Record<string, unknown>> = recorded

/** Takes an example of each type from the recorded examples: its own, or else one of an operation that responds with it. */
export function samplesOf({ paths, components: { schemas } }: Description): ReadonlyMap<string, unknown> {
  const samples = new Map<string, unknown>()
  const look = (schema: Schema, value: unknown): void => {
    if (value === undefined || value === null) return
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      if (!samples.has(name)) samples.set(name, value)
      return look(schemas[name] ?? {}, value)
    }
    const several = alternatives(schema)
    if (several) return several.filter((part) => fits(part, value)).forEach((part) => look(part, value))
    const { items, properties } = schema
    if (Array.isArray(value)) return value.forEach((entry) => items && look(items, entry))
    for (const [member, part] of Object.entries(properties ?? {})) look(part, (value as Readonly<Record<string, unknown>>)[member])
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (examples[name] === undefined) continue
    samples.set(name, examples[name])
    look(schema, examples[name])
  }
  // getOrder goes first, since its example is of an order that has been paid and therefore has the most members.
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const first = (id: string) => (id === 'getOrder' ? 0 : 1)
  for (const { operationId, responses } of operations.sort((a, b) => first(a.operationId) - first(b.operationId))) {
    const answered = Object.entries(responses ?? {}).find(([code]) => code.startsWith('2'))
    const schema = answered?.[1].content?.['application/json'].schema
    if (schema) look(schema, examples[operationId])
  }
  return samples
}

function fits(schema: Schema, value: unknown): boolean {
  if (schema.$ref !== undefined) return true
  if (schema.type === 'null' || typeof value !== 'object' || value === null) return false
  const members = value as Readonly<Record<string, unknown>>
  return (
    (schema.required ?? []).every((name) => members[name] !== undefined) &&
    Object.entries(schema.properties ?? {}).every(([name, part]) => part.const === undefined || members[name] === part.const)
  )
}
