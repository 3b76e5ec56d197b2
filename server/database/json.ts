import type { JSONValue } from 'postgres'

/** A bigint is encoded as {"~":"123"}. An object that only looks like that gets one more "~" before the name of its only member. */
const tag = '~'
const lookalike = /^~+$/

const isLookalike = (names: readonly string[]): boolean => names.length === 1 && lookalike.test(names[0] ?? '')

/** Encodes in one pass without a transformed copy, since an order's whole state is encoded at every change. */
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

/** Reviving changes the value in place, since no other code holds a reference to freshly parsed JSON. */
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

/** Decodes JSON that `encodeJson` wrote. The type is not checked at run time, and relies on the writer having stored that type. */
export const decodeJson = <T>(stored: unknown): T => revive(stored) as T

export const toJsonb = (value: unknown): JSONValue => JSON.parse(encodeJson(value)) as JSONValue
