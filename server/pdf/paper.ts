import type { Font } from 'fontkit'
import PDFDocument from 'pdfkit'
import type { Locale } from '../../src/wire/locale.ts'
import { type Face, fontsFor } from './fonts.ts'
import { type Line, printable, type Style, typesetter } from './typeset.ts'

const page = { width: 595.28, height: 841.89, margin: 48, bottom: 64 } as const
const hairline = '#dde2e5'
const ink = '#14191c'
export const soft = '#4e585e'
/** The width between the margins. */
export const inner = page.width - 2 * page.margin

interface PaperParts {
  readonly locale: Locale
  readonly dir: 'ltr' | 'rtl'
  readonly title: string
  readonly author: string
  readonly at: Date
  /** Everything that will be written, for which fonts are cut. */
  readonly texts: readonly string[]
  /** Stands at the foot of each page. */
  readonly foot: string | undefined
}

/**
 * A4 pages to write on. Horizontal positions are measured from where reading starts, which is the right edge in languages that read from right
 * to left, and vertical ones from the top.
 */
export async function openPaper({ locale, dir, title, author, at: time, texts, foot }: PaperParts) {
  const everything = printable([...texts, title, foot ?? '', '\uFFFD0123456789/'].join(' '))
  const [regular, semibold] = await Promise.all([fontsFor([everything], locale, 400), fontsFor([everything], locale, 600)])
  const set = typesetter({ 400: regular, 600: semibold })
  const style = (size: number, weight: Style['weight'] = 400): Style => ({ size, weight, dir })
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    font: '',
    bufferPages: true,
    lang: locale,
    displayTitle: true,
    info: { Title: title, Author: author, CreationDate: time, ModDate: time, Producer: 'Till', Creator: 'Till' },
  })
  const bytes = collected(doc)
  const draw = drawer(doc)
  const isRtl = dir === 'rtl'
  let y: number = page.margin + 14
  const at = (start: number, line: Line): number => (isRtl ? page.width - page.margin - start - line.width : page.margin + start)
  const endingAt = (end: number, line: Line): number => (isRtl ? page.width - page.margin - end : page.margin + end - line.width)
  const put = (text: string, start: number, baseline: number, of: Style, color = ink): void => {
    const line = set.line(text, of)
    draw(line, at(start, line), baseline, color)
  }
  const putEnd = (text: string, end: number, baseline: number, of: Style, color = ink): void => {
    const line = set.line(text, of)
    draw(line, endingAt(end, line), baseline, color)
  }
  /** Draws several lines and returns the y position below them. */
  const block = (text: string, start: number, top: number, width: number, of: Style, color = ink): number => {
    const step = of.size * 1.45
    const lines = set.lines(text, of, width)
    for (const [index, line] of lines.entries()) draw(line, at(start, line), top + index * step, color)
    return top + lines.length * step
  }
  return {
    doc,
    put,
    putEnd,
    block,
    style,
    /** Numbers and addresses run from left to right in every language. */
    figure: (of: Style): Style => ({ ...of, dir: 'ltr' }),
    /** The next line is written here. */
    get y() {
      return y
    },
    set y(next: number) {
      y = next
    },
    /** The x position of something this wide. */
    left: (width: number): number => (isRtl ? page.width - page.margin - width : page.margin),
    countLines: (text: string, of: Style, width: number): number => set.lines(text, of, width).length,
    /** Writes a URL that can be clicked. */
    link(url: string, text: string, start: number, top: number, width: number, of: Style): void {
      for (const [index, line] of set.lines(text, { ...of, dir: 'ltr' }, width).entries()) {
        const [x, baseline] = [at(start, line), top + index * of.size * 1.45]
        draw(line, x, baseline, '#0f4c5c')
        doc.link(x, baseline - of.size, line.width, of.size * 1.4, url)
      }
    },
    rule: (at: number): void =>
      void doc
        .moveTo(page.margin, at)
        .lineTo(page.width - page.margin, at)
        .lineWidth(0.75)
        .strokeColor(hairline)
        .stroke(),
    /** Begins a new page if less than this height is left, and continues it with `after`. */
    need(height: number, after?: () => void): void {
      if (y + height <= page.height - page.bottom) return
      doc.addPage({ size: 'A4', margin: 0 })
      y = page.margin + 10
      after?.()
    },
    finish(): Promise<Buffer> {
      const { start, count } = doc.bufferedPageRange()
      const small = style(8.5)
      for (let index = start; index < start + count; index++) {
        doc.switchToPage(index)
        if (foot !== undefined) put(foot, 0, page.height - 32, small, soft)
        if (count > 1) putEnd(`${index + 1}/${count}`, inner, page.height - 32, small, soft)
      }
      doc.end()
      return bytes
    },
  }
}

const collected = (doc: PDFKit.PDFDocument): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })

/** pdfkit calls a font's layout() without a direction, so each document wraps its fonts in objects that add one. */
function drawer(doc: PDFKit.PDFDocument) {
  const own = new Map<string, Font>()
  let dir: 'ltr' | 'rtl' = 'ltr'
  const ownFont = ({ name, font }: Face): Font => {
    const known = own.get(name)
    if (known) return known
    const made: Font = Object.create(font, { layout: { value: (text: string) => font.layout(text, undefined, undefined, undefined, dir) } })
    own.set(name, made)
    return made
  }
  return ({ runs, size }: Line, x: number, y: number, color: string): void => {
    let left = x
    doc.fillColor(color)
    for (const run of runs) {
      dir = run.dir
      // pdfkit accepts a fontkit font, though its types name only files and bytes.
      doc.font(ownFont(run.face) as never, run.face.name).fontSize(size)
      // Devanagari glyphs are not in the order of their letters, so the text itself is attached for copying and screen readers. In a run
      // from right to left it is omitted, since browsers would reverse it.
      const isReordered = run.dir === 'ltr' && /\p{Script=Devanagari}/u.test(run.text)
      if (isReordered) doc.markContent('Span', { actual: run.text })
      doc.text(run.text, left, y, { lineBreak: false, baseline: 'alphabetic', features: [] })
      if (isReordered) doc.endMarkedContent()
      left += run.width
    }
  }
}
