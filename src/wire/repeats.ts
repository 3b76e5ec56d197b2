/**
 * An order names the same currencies, amounts and recipients again and again. What a page's data repeats is written once, in a list at its start, and
 * `{"=":2}` stands for the third value of that list.
 */
const mark = '='
const listName = '=='

/** A value of fewer letters costs more in the list than where it stands. */
const least = 24

export function withoutRepeats(data: object): string {
  const plain = JSON.stringify(data)
  // Whoever chooses a name in an order must not choose what stands in its place.
  if (plain.includes('=":')) return plain
  const counts = new Map<string, number>()
  JSON.stringify(data, (_, value: unknown) => {
    const text = repeatable(value)
    if (text === undefined) return value
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return count > 1 ? undefined : value
  })
  const places = new Map([...counts].filter(([, count]) => count > 1).map(([text], place) => [text, place]))
  if (places.size === 0) return plain
  const short = JSON.stringify(data, (_, value: unknown) => {
    const place = places.get(repeatable(value) ?? '')
    return place === undefined ? value : { [mark]: place }
  })
  return `{"${listName}":[${[...places.keys()].join()}],${short.slice(1)}`
}

const repeatable = (value: unknown): string | undefined => {
  const text = typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value) : undefined
  return text !== undefined && text.length >= least ? text : undefined
}

/** A reviver gets the members in their order, so it has the list before what refers to it. The list is no member of the result. */
export function parseRepeats(text: string): unknown {
  let list: readonly unknown[] = []
  return JSON.parse(text, (key, value) => (key === listName ? void (list = value) : (list[value?.[mark]] ?? value)))
}
