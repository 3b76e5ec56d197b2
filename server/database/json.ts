import type { JSONValue } from 'postgres'

/**
 * Whole numbers of any size inside JSON: {"~":"123"}. An object that only looks like one of ours gets one more "~" before the name of its
 * only member, and loses it again when it is read.
 */
const tag = '~'
const lookalike = /^~+$/

const isLookalike = (names: readonly string[]): boolean => names.length === 1 && lookalike.test(names[0] ?? '')

/** Written in one pass: an order is written at every change, and a copy of it that is dressed first costs more than its text. */
export function encodeJson(value: unknown): string {
  if (typeof value === 'bigint') return `{"${tag}":"${value}"}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(',')}]`
  const names = Object.keys(value)
  const prefix = isLookalike(names) ? tag : ''
  let text = ''
  for (const name of names) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(prefix + name)}:${encodeJson(member)}`
  }
  return `{${text}}`
}

/** In place: what was just parsed is nobody else's. */
function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) value[index] = revive(element)
    return value
  }
  const names = Object.keys(value)
  const members = value as Record<string, unknown>
  if (isLookalike(names)) {
    const [name = ''] = names
    return name === tag ? BigInt(String(members[name])) : { [name.slice(1)]: revive(members[name]) }
  }
  for (const name of names) {
    const member = members[name]
    if (typeof member === 'object') members[name] = revive(member)
  }
  return value
}

/** What we wrote ourselves comes back as it was: the type is the writer's promise, kept by the round-trip property. */
export const decodeJson = <T>(stored: unknown): T => revive(stored) as T

export const toJsonb = (value: unknown): JSONValue => JSON.parse(encodeJson(value)) as JSONValue
