import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { create, type Font } from 'fontkit'
import subsetFont from 'subset-font'
import * as z from 'zod/mini'

export type Weight = 400 | 600

/** A slice is a family's font for one set of characters. It is instantiated at one weight, since PDF has no variable fonts. */
interface Slice {
  readonly family: string
  readonly file: string
  readonly ranges: readonly (readonly [number, number])[]
}

const families = {
  sans: { name: 'noto-sans', slices: ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'] },
  arabic: { name: 'noto-sans-arabic', slices: ['arabic'] },
  hebrew: { name: 'noto-sans-hebrew', slices: ['hebrew'] },
  devanagari: { name: 'noto-sans-devanagari', slices: ['devanagari'] },
  japanese: { name: 'noto-sans-jp', slices: undefined },
  korean: { name: 'noto-sans-kr', slices: undefined },
  chinese: { name: 'noto-sans-sc', slices: undefined },
} as const
type FamilyName = keyof typeof families

const always: readonly FamilyName[] = ['sans', 'arabic', 'hebrew', 'devanagari']

/** Han characters differ by language: kana or a Japanese document mean Japanese, otherwise hangul or a Korean document mean Korean. */
function eastern(text: string, locale: string): readonly FamilyName[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) || locale === 'ja') return ['japanese', 'chinese', 'korean']
  if (/\p{Script=Hangul}/u.test(text) || locale === 'ko') return ['korean', 'japanese', 'chinese']
  return ['chinese', 'japanese', 'korean']
}

const Ranges = z.record(z.string(), z.string())
const require = createRequire(import.meta.url)
const slicesOf = new Map<FamilyName, readonly Slice[]>()

function readFamily(family: FamilyName): readonly Slice[] {
  const known = slicesOf.get(family)
  if (known) return known
  const { name, slices: wanted } = families[family]
  const folder = dirname(require.resolve(`@fontsource-variable/${name}/package.json`))
  const ranges = Ranges.parse(JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')))
  const slices = Object.entries(ranges).flatMap(([key, text]): Slice[] => {
    const slice = key.replace(/[[\]]/g, '')
    if (wanted && !wanted.some((name) => name === slice)) return []
    return [{ family: name, file: join(folder, 'files', `${name}-${slice}-wght-normal.woff2`), ranges: text.split(',').map(parseRange) }]
  })
  slicesOf.set(family, slices)
  return slices
}

function parseRange(range: string): readonly [number, number] {
  const [from = '0', to = from] = range.trim().replace(/^U\+/i, '').split('-')
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)]
}

const covers = ({ ranges }: Slice, point: number): boolean => ranges.some(([from, to]) => point >= from && point <= to)

const loaded = new Map<string, Promise<Font>>()

function load(slice: Slice, weight: Weight): Promise<Font> {
  const key = `${weight} ${slice.file}`
  const known = loaded.get(key)
  if (known) return known
  const characters = slice.ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)),
  )
  const font = subsetFont(readFileSync(slice.file), characters.join(''), {
    targetFormat: 'truetype',
    variationAxes: { wght: weight },
  }).then((bytes) => {
    const made = create(bytes)
    if (!('layout' in made)) throw new Error(`${slice.file} is not a single font`)
    return made
  })
  loaded.set(key, font)
  font.catch(() => loaded.delete(key))
  return font
}

export interface Face {
  /** Identifies the font, and is the same in every document. */
  readonly name: string
  readonly font: Font
}

/** Returns a font that draws all of these characters, or undefined if no loaded font can. */
export type Fonts = (cluster: string) => Face | undefined

/** Joiners and variation selectors need no glyph of their own. */
const isSilent = (point: number): boolean => point === 0x200c || point === 0x200d || (point >= 0xfe00 && point <= 0xfe0f)

const pointsOf = (text: string): number[] => [...text].map((character) => character.codePointAt(0) ?? 0).filter((point) => !isSilent(point))

/** Loads all fonts that these texts need, so that they can be chosen synchronously. */
export async function fontsFor(texts: readonly string[], locale: string, weight: Weight): Promise<Fonts> {
  const all = texts.join(' ')
  const slices = [...always, ...eastern(all, locale)].flatMap(readFamily)
  const points = [...new Set(pointsOf(all))]
  const needed = slices.filter((slice) => points.some((point) => covers(slice, point)))
  const faces = await Promise.all(
    needed.map(async (slice) => ({ slice, face: { name: `${slice.file} ${weight}`, font: await load(slice, weight) } })),
  )
  const known = new Map<string, Face | undefined>()
  return (cluster) => {
    if (!known.has(cluster)) {
      const asked = pointsOf(cluster)
      known.set(cluster, faces.find(({ face }) => asked.every((point) => face.font.hasGlyphForCodePoint(point)))?.face)
    }
    return known.get(cluster)
  }
}
