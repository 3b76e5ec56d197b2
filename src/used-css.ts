/**
 * Finds the rules of a stylesheet that can apply to a page, so that its first response contains no others. A rule is left out only if it certainly
 * does not apply: if each of its selectors needs a class, an id or an element that the page does not have.
 */
export type CssPart =
  | { readonly condition: string; readonly parts: readonly CssPart[] }
  | { readonly selectors: readonly Selector[]; readonly declarations: string }
  /** Rules like @keyframes are few, and used by whatever names them. */
  | { readonly always: string }

interface Selector {
  readonly text: string
  /** It matches nothing without all of these. */
  readonly needs: readonly string[]
}

/** Reads a stylesheet as the build has minified it: without comments, and without braces in strings. */
export function readCss(css: string): readonly CssPart[] {
  const parts: CssPart[] = []
  let at = 0
  for (let open = css.indexOf('{'); open >= 0; open = css.indexOf('{', at)) {
    const close = endOfBlock(css, open)
    const head = css.slice(at, open).trim()
    const body = css.slice(open + 1, close)
    if (/^@(?:media|supports|container|layer)\b/.test(head)) parts.push({ condition: head, parts: readCss(body) })
    else if (head.startsWith('@')) parts.push({ always: `${head}{${body}}` })
    else parts.push({ selectors: selectorsOf(head), declarations: body })
    at = close + 1
  }
  return parts
}

function endOfBlock(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at++) {
    if (css[at] === '{') depth++
    if (css[at] === '}' && --depth === 0) return at
  }
  throw new Error(`a block of the stylesheet is not closed: ${css.slice(open, open + 40)}`)
}

/** Splits a list of selectors at its commas, but not at those inside `:is(a,b)`. */
function selectorsOf(list: string): readonly Selector[] {
  const selectors: Selector[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at <= list.length; at++) {
    if (list[at] === '(') depth++
    if (list[at] === ')') depth--
    if (at < list.length && (list[at] !== ',' || depth > 0)) continue
    const text = list.slice(from, at)
    selectors.push({ text, needs: needsOf(text) })
    from = at + 1
  }
  return selectors
}

/** `.class`, `#id` and `element`. Attributes may change while a page is open, so they forbid nothing. */
function needsOf(selector: string): readonly string[] {
  const plain = withoutArguments(selector).replace(/\[[^\]]*\]/g, '')
  const elements = [...plain.matchAll(/(?:^|[\s>+~])([a-z][a-z0-9]*)/g)].map(([, name = '']) => name)
  return [...(plain.match(/[.#][\w-]+/g) ?? []), ...elements]
}

/** `:not(.a)` matches what lacks the class, and `:is(.a,.b)` needs one of them, so what is in brackets forbids nothing either. */
function withoutArguments(selector: string): string {
  let depth = 0
  let plain = ''
  for (const letter of selector) {
    if (letter === ')') depth--
    if (depth === 0) plain += letter
    if (letter === '(') depth++
  }
  return plain
}

/** Lists what a page has. `also` is what scripts may add to it before the whole stylesheet is there. */
export function namesOf(html: string, also: readonly string[] = []): ReadonlySet<string> {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, name = '']) => name)
  return new Set([
    ...also,
    ...all(/\sclass="([^"]*)"/g).flatMap((names) => names.split(/\s+/).map((name) => `.${name}`)),
    ...all(/\sid="([^"]*)"/g).map((name) => `#${name}`),
    ...all(/<([a-z][a-z0-9]*)/g),
  ])
}

export const usedCss = (parts: readonly CssPart[], names: ReadonlySet<string>): string =>
  parts
    .map((part) => {
      if ('always' in part) return part.always
      if ('condition' in part) {
        const inner = usedCss(part.parts, names)
        return inner && `${part.condition}{${inner}}`
      }
      const used = part.selectors.filter(({ needs }) => needs.every((name) => names.has(name)))
      return used.length > 0 ? `${used.map(({ text }) => text).join(',')}{${part.declarations}}` : ''
    })
    .join('')
