import type { JSONValue } from 'postgres'

/**
 * Encodes bigints inside JSON as {"~":"123"}. An object that only looks like such an encoding gets one more "~" before the name of its only
 * member, which decoding removes again.
 */
const tag = '~'
const lookalike = /^~+$/

const isLookalike = (names: readonly string[]): boolean => names.length === 1 && lookalike.test(names[0] ?? '')

/** Encodes in one pass: an order is written at every change, and a transformed copy of it costs more than the text itself. */
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

/** Works in place, since freshly parsed JSON belongs to nobody else. */
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

/** Decodes JSON that we encoded ourselves: the type is the writer's promise, which a round-trip property test keeps. */
export const decodeJson = <T>(stored: unknown): T => revive(stored) as T

export const toJsonb = (value: unknown): JSONValue => JSON.parse(encodeJson(value)) as JSONValue
