import type { JSONValue } from 'postgres'

/**
 * Whole numbers of any size inside JSON: {"~":"123"}. An object that only looks like one of ours gets one more "~" before the name of its
 * only member, and loses it again when it is read.
 */
const tag = '~'
const lookalike = /^~+$/

const onlyKey = (value: object): string | undefined => {
  const keys = Object.keys(value)
  return keys.length === 1 && lookalike.test(keys[0] ?? '') ? keys[0] : undefined
}

const dress = (value: unknown): unknown => {
  if (typeof value === 'bigint') return { [tag]: value.toString() }
  if (Array.isArray(value)) return value.map(dress)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const key = onlyKey(value)
  return key === undefined ? Object.fromEntries(entries.map(([name, one]) => [name, dress(one)])) : { [tag + key]: dress(entries[0]?.[1]) }
}

const revive = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const key = onlyKey(value)
  if (key === tag) return BigInt(String(entries[0]?.[1]))
  return Object.fromEntries(entries.map(([name, one]) => [name === key ? name.slice(1) : name, revive(one)]))
}

export const encodeJson = (value: unknown): string => JSON.stringify(dress(value))

/** What we wrote ourselves comes back as it was: the type is the writer's promise, kept by the round-trip property. */
export const decodeJson = <T>(stored: unknown): T => revive(stored) as T

export const toJsonb = (value: unknown): JSONValue => JSON.parse(encodeJson(value)) as JSONValue
