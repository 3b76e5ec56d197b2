import type { JSONValue } from 'postgres'

/** Whole numbers of any size inside JSON: {"~":"123"}. Merchants' members are parsed and stripped before, so none can look like it. */
const tag = '~'

export const encodeJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? { [tag]: one.toString() } : one))

const isTagged = (value: unknown): value is { '~': string } =>
  typeof value === 'object' && value !== null && tag in value && typeof value[tag] === 'string' && Object.keys(value).length === 1

const revive = (value: unknown): unknown => {
  if (isTagged(value)) return BigInt(value[tag])
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, revive(one)]))
  return value
}

/** What we wrote ourselves comes back as it was: the type is the writer's promise, kept by the round-trip property. */
export const decodeJson = <T>(stored: unknown): T => revive(stored) as T

export const toJsonb = (value: unknown): JSONValue => JSON.parse(encodeJson(value)) as JSONValue
