/**
 * Finds the rules of a stylesheet that can apply to a page, so that its first response contains no others. A rule is left out only if it certainly
 * does not apply: if each of its selectors needs a class, an id, an element or an attribute that the page does not have.
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

const attribute = /\[([\w-]+)(?:(=)([\w-]+))?[^\]]*\]/g

/** `.class`, `#id`, `element`, `[attribute]` or `[attribute=word]`, and the states that only the payer brings. Other states forbid nothing. */
function needsOf(selector: string): readonly string[] {
  const outside = withoutArguments(selector)
  const attributes = [...outside.matchAll(attribute)].map(([, name = '', is, word]) => (is ? `[${name}=${word}]` : `[${name}]`))
  const plain = outside.replace(attribute, '')
  const elements = [...plain.matchAll(/(?:^|[\s>+~])([a-z][a-z0-9]*)/g)].map(([, name = '']) => name)
  return [...(plain.match(/[.#][\w-]+|:(?:hover|focus|focus-visible)\b(?!-)/g) ?? []), ...elements, ...attributes, ...hadBy(selector)]
}

/** `:has(.a)` needs the class, but not inside of `:not(…)` or beside something else in `:is(…)`. */
const hadBy = (selector: string): readonly string[] =>
  /:(?:not|is|where)\(/.test(selector) ? [] : [...selector.matchAll(/:has\(\s*(?:[>+~]\s*)?([.#][\w-]+)\)/g)].map(([, name = '']) => name)

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

/** Lists what a page has. `also` is what scripts or the payer may add to it before the whole stylesheet is there, if that follows. */
export function namesOf(html: string, also: readonly string[] = []): ReadonlySet<string> {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, name = '']) => name)
  return new Set([
    ...also,
    ...all(/\sclass="([^"]*)"/g).flatMap((names) => names.split(/\s+/).map((name) => `.${name}`)),
    ...all(/\sid="([^"]*)"/g).map((name) => `#${name}`),
    ...[...html.matchAll(/\s([a-z-]+)(?:="([^"]*)")?(?=[^<>]*>)/g)].flatMap(([, name, value]) => [`[${name}]`, `[${name}=${value}]`]),
    ...all(/<([a-z][a-z0-9]*)/g),
  ])
}

/** Leaves out the content of each closed `<details>`, since only its `<summary>` is drawn. */
export function drawnHtml(html: string): string {
  const around: { readonly isOpen: boolean; isDrawn: boolean }[] = []
  let drawn = ''
  let from = 0
  for (const { 0: tag, 1: name, index } of html.matchAll(/<(\/?(?:details|summary))\b[^>]*>/g)) {
    if (around.every(({ isDrawn }) => isDrawn)) drawn += html.slice(from, index)
    drawn += tag
    from = index + tag.length
    const isOpen = /\sopen\b/.test(tag)
    const inner = around.at(-1)
    if (name === 'details') around.push({ isOpen, isDrawn: isOpen })
    else if (name === '/details') around.pop()
    else if (inner) inner.isDrawn = name === 'summary' || inner.isOpen
  }
  return drawn + html.slice(from)
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

/** It begins after a brace. Without that condition each letter would be tried as a beginning, which took more time than the page. */
const emptyRule = /(?<=^|[{}])[^{}]+\{\}/g

/** Custom properties and animations stand in rules that always apply, so most pages have some that none of their other rules names. */
export const withoutUnnamed = (css: string): string =>
  css
    .replace(/(--[\w-]+):[^;{}]*(?:;|(?=\}))/g, (declaration, name) => (new RegExp(`var\\(${name}[,)]`).test(css) ? declaration : ''))
    .replace(/@keyframes ([\w-]+)\{(?:[^{}]*\{[^{}]*\})*\}/g, (rule, name) =>
      new RegExp(`animation:[^;}]*\\b${name}\\b`).test(css) ? rule : '',
    )
    // The second time finds conditions around rules that are empty now.
    .replace(emptyRule, '')
    .replace(emptyRule, '')
