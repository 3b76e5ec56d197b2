import bidiFactory from 'bidi-js'
import type { Face, Fonts, Weight } from './fonts.ts'

export interface Style {
  readonly size: number
  readonly weight: Weight
  /** Text has this direction unless its first letter is Arabic or Hebrew. */
  readonly dir: 'ltr' | 'rtl'
}

export interface Run {
  readonly face: Face
  readonly text: string
  readonly dir: 'ltr' | 'rtl'
  readonly width: number
}

/** The runs are in visual order, from left to right. */
export interface Line {
  readonly runs: readonly Run[]
  readonly width: number
  readonly size: number
}

/** Text is shaped, broken where its script allows, and put in visual order (UAX 9). What none of our fonts can draw becomes U+FFFD. */
export interface Typesetter {
  lines(text: string, style: Style, width: number): readonly Line[]
  /** Sets the text on one line, whatever its width. */
  line(text: string, style: Style): Line
}

const replacement = '\uFFFD'
const bidi = bidiFactory()
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Makes untrusted text safe to print: one paragraph, without bidi controls that would reorder what is beside it. */
export const printable = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g, '')
    .replace(/\p{Zl}|\p{Zp}|\s/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

/** Lines may break before and after each of these characters, but not before punctuation. */
const breaksAnywhere = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

interface Cluster {
  readonly text: string
  readonly level: number
  readonly face: Face
}

export function typesetter(fonts: Readonly<Record<Weight, Fonts>>): Typesetter {
  const widths = new Map<string, number>()
  const widthOf = (face: Face, text: string, dir: 'ltr' | 'rtl', size: number): number => {
    const key = `${face.name} ${dir} ${text}`
    let units = widths.get(key)
    if (units === undefined) {
      units = face.font.layout(text, undefined, undefined, undefined, dir).advanceWidth / face.font.unitsPerEm
      widths.set(key, units)
    }
    return units * size
  }

  /** Splits text into characters with font and bidi level. Spaces, digits and punctuation use the preceding font if it has them. */
  const clusters = (text: string, { weight, dir }: Style): Cluster[] => {
    const embedding = bidi.getEmbeddingLevels(text, baseOf(text, dir))
    const mirrored = bidi.getMirroredCharactersMap(text, embedding.levels)
    const all: Cluster[] = []
    for (const { segment, index } of graphemes.segment(text)) {
      const shown = segment.length === 1 ? (mirrored.get(index) ?? segment) : segment
      const level = embedding.levels[index] ?? 0
      const last = all.at(-1)
      if (last?.level === level && /^[\s\p{P}\p{N}\p{S}]$/u.test(shown) && last.face.font.hasGlyphForCodePoint(shown.codePointAt(0) ?? 0)) {
        all.push({ text: shown, level, face: last.face })
        continue
      }
      const face = fonts[weight](shown)
      const substitute = face ? undefined : fonts[weight](replacement)
      if (!face && !substitute) throw new Error('the fonts lack even U+FFFD')
      all.push(face ? { text: shown, level, face } : { text: replacement, level, face: substitute as Face })
    }
    return all
  }

  const runsOf = (line: readonly Cluster[], size: number): Run[] => {
    const joined: { text: string; level: number; face: Face }[] = []
    for (const { text, level, face } of line) {
      const last = joined.at(-1)
      if (last?.level === level && last.face === face) last.text += text
      else joined.push({ text, level, face })
    }
    return inVisualOrder(joined).map(({ text, level, face }) => {
      const dir = level % 2 === 1 ? ('rtl' as const) : ('ltr' as const)
      return { face, text, dir, width: widthOf(face, text, dir, size) }
    })
  }

  const lineOf = (line: readonly Cluster[], { size }: Style): Line => {
    const runs = runsOf(withoutEdges(line), size)
    return { runs, width: runs.reduce((total, run) => total + run.width, 0), size }
  }

  return {
    line: (text, style) => lineOf(clusters(printable(text), style), style),
    lines(text, style, width) {
      const lines: Line[] = []
      let current: Cluster[] = []
      let used = 0
      const close = () => {
        lines.push(lineOf(current, style))
        current = []
        used = 0
      }
      for (const word of words(clusters(printable(text), style))) {
        const wide = lineOf(word, style).width
        const full = runsOf(word, style.size).reduce((total, run) => total + run.width, 0)
        if (used + wide > width && current.length > 0) close()
        if (wide <= width) {
          current.push(...word)
          used += full
          continue
        }
        // A word that is longer than a line breaks inside.
        for (const cluster of word) {
          const more = widthOf(cluster.face, cluster.text, 'ltr', style.size)
          if (used + more > width && current.length > 0) close()
          current.push(cluster)
          used += more
        }
      }
      if (current.length > 0 || lines.length === 0) close()
      return lines
    },
  }
}

/** A text whose first letter is Arabic or Hebrew runs from right to left, as readers expect of a name on a line of its own. */
function baseOf(text: string, fallback: 'ltr' | 'rtl'): 'ltr' | 'rtl' {
  const [first] = /\p{L}/u.exec(text) ?? []
  if (first === undefined) return fallback
  return /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(first) ? 'rtl' : fallback
}

function withoutEdges(line: readonly Cluster[]): readonly Cluster[] {
  let [start, end] = [0, line.length]
  while (start < end && line[start]?.text === ' ') start++
  while (end > start && line[end - 1]?.text === ' ') end--
  return line.slice(start, end)
}

/** Splits text into parts that lines do not break: up to a space or a hyphen, or one character of a script such as Han. */
function words(all: readonly Cluster[]): Cluster[][] {
  const parts: Cluster[][] = []
  let word: Cluster[] = []
  for (const [index, cluster] of all.entries()) {
    word.push(cluster)
    const next = all[index + 1]?.text
    const ends =
      /[\s-]$/u.test(cluster.text) ||
      (next !== undefined && (breaksAnywhere.test(cluster.text) || breaksAnywhere.test(next)) && !/^[\s\p{P}]/u.test(next))
    if (!ends) continue
    parts.push(word)
    word = []
  }
  return word.length > 0 ? [...parts, word] : parts
}

/** Follows rule L2 of UAX 9: from the highest level down to the lowest odd one, it reverses every sequence at that level or above. */
function inVisualOrder<T extends { readonly level: number }>(logical: readonly T[]): readonly T[] {
  const runs = [...logical]
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    for (let from = 0; from < runs.length; from++) {
      let to = from
      while (to < runs.length && (runs[to]?.level ?? 0) >= level) to++
      if (to > from) runs.splice(from, to - from, ...runs.slice(from, to).toReversed())
      from = to
    }
  }
  return runs
}
