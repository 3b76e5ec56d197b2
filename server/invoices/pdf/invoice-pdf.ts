import type { Font } from 'fontkit'
import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import type { FiatCurrency } from '../../../src/wire/currency.ts'
import type { InvoiceData } from '../../../src/wire/invoice.ts'
import { addressLines } from '../../../src/wire/scalars.ts'
import type { InvoiceWords } from '../../../src/wire/invoice-words.ts'
import { fiatDecimal } from '../../orders/model/rate.ts'
import { invoiceTotals } from '../invoice.ts'
import { type Face, fontsFor } from './fonts.ts'
import { type Line, printable, type Style, typesetter } from './typeset.ts'

export interface PrintableInvoice {
  readonly data: InvoiceData
  readonly fiatUnit: FiatCurrency
  readonly paymentUrl: string
  readonly isLive: boolean
  readonly publishedAt: Date
}

const page = { width: 595.28, height: 841.89, margin: 48, bottom: 64 } as const
const inner = page.width - 2 * page.margin
const ink = '#14191c'
const soft = '#4e585e'
const hairline = '#dde2e5'
const column = { tax: 70, amount: 110 } as const
const qrSize = 118

/** The PDF has a link and a QR code that lead to the payment page, so that the invoice can be paid from screen or paper. */
export async function invoicePdf(
  { data, fiatUnit, paymentUrl, isLive, publishedAt }: PrintableInvoice,
  words: InvoiceWords,
): Promise<Buffer> {
  const totals = invoiceTotals(data, fiatUnit)
  const money = (value: bigint) => words.money(fiatDecimal(value, totals.digits), fiatUnit)
  const texts = {
    title: words.title(data.invoice.no),
    issued: words.issued(data.invoice.date),
    due: words.due(data.invoice.due_date),
    lines: totals.lines.map((line) => ({
      name: line.name,
      detail: words.line(line.quantity, words.money(line.unitPrice, fiatUnit)),
      tax: line.rate === '0' ? '' : words.rate(line.rate),
      amount: money(line.amount),
    })),
    sums: [
      ...(totals.taxes.length > 0 ? [{ label: words.subtotal, value: money(totals.subtotal) }] : []),
      ...totals.taxes.map((tax) => ({ label: words.taxAt(tax.rate), value: money(tax.amount) })),
    ],
    total: money(totals.total),
  }
  const everything = printable(
    [
      JSON.stringify(texts),
      ...Object.values(data.from),
      ...Object.values(data.recipient),
      paymentUrl,
      Object.values(words).join(' '),
      '\uFFFD0123456789/',
    ].join(' '),
  )
  const [regular, semibold] = await Promise.all([fontsFor([everything], words.locale, 400), fontsFor([everything], words.locale, 600)])
  const set = typesetter({ 400: regular, 600: semibold })
  const style = (size: number, weight: Style['weight'] = 400): Style => ({ size, weight, dir: words.dir })
  const [body, strong, small] = [style(10), style(10, 600), style(8.5)]
  /** Numbers run from left to right in every language. */
  const figure = (of: Style): Style => ({ ...of, dir: 'ltr' })

  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    font: '',
    bufferPages: true,
    lang: words.locale,
    displayTitle: true,
    info: {
      Title: texts.title,
      Author: data.from.name,
      CreationDate: publishedAt,
      ModDate: publishedAt,
      Producer: 'Till',
      Creator: 'Till',
    },
  })
  const bytes = collected(doc)
  const draw = drawer(doc)
  const isRtl = words.dir === 'rtl'
  /** Horizontal positions are measured from where reading starts, which on a right-to-left page is the right edge. */
  const at = (start: number, line: Line): number => (isRtl ? page.width - page.margin - start - line.width : page.margin + start)
  const endingAt = (end: number, line: Line): number => (isRtl ? page.width - page.margin - end : page.margin + end - line.width)
  const put = (text: string, start: number, y: number, of: Style, color = ink) => {
    const line = set.line(text, of)
    draw(line, at(start, line), y, color)
  }
  const putEnd = (text: string, end: number, y: number, of: Style, color = ink) => {
    const line = set.line(text, of)
    draw(line, endingAt(end, line), y, color)
  }
  /** Draws several lines and returns the y position below them. */
  const block = (text: string, start: number, y: number, width: number, of: Style, color = ink): number => {
    const step = of.size * 1.45
    const lines = set.lines(text, of, width)
    for (const [index, line] of lines.entries()) draw(line, at(start, line), y + index * step, color)
    return y + lines.length * step
  }
  const rule = (y: number) =>
    doc
      .moveTo(page.margin, y)
      .lineTo(page.width - page.margin, y)
      .lineWidth(0.75)
      .strokeColor(hairline)
      .stroke()

  let y: number = page.margin + 14
  y = block(texts.title, 0, y, inner, style(18, 600)) + 2
  put(texts.issued, 0, y, body, soft)
  put(texts.due, 0, y + 15, body, soft)
  y += 48
  const half = inner / 2 - 12
  const party = (label: string, { name, email, address = '', tax_number: tax }: InvoiceData['from'], start: number): number => {
    put(label, start, y, small, soft)
    const lines = [email, ...addressLines(address), ...(tax === undefined ? [] : [words.taxNumber(tax)])]
    return lines.reduce((below, line) => block(line, start, below, half, body, soft), block(name, start, y + 15, half, strong))
  }
  y = Math.max(party(words.from, data.from, 0), party(words.to, data.recipient, inner / 2 + 12)) + 18

  const head = () => {
    put(words.item, 0, y, small, soft)
    putEnd(words.tax, inner - column.amount, y, small, soft)
    putEnd(words.amount, inner, y, small, soft)
    rule(y + 7)
    y += 24
  }
  const need = (height: number, after?: () => void) => {
    if (y + height <= page.height - page.bottom) return
    doc.addPage({ size: 'A4', margin: 0 })
    y = page.margin + 10
    after?.()
  }
  head()
  const nameWidth = inner - column.amount - column.tax - 12
  for (const line of texts.lines) {
    need(set.lines(line.name, body, nameWidth).length * 14.5 + 30, head)
    putEnd(line.tax, inner - column.amount, y, figure(body))
    putEnd(line.amount, inner, y, figure(body))
    const next = block(line.name, 0, y, nameWidth, body)
    put(line.detail, 0, next - 1, figure(small), soft)
    rule(next + 8)
    y = next + 25
  }
  need((texts.sums.length + 1) * 18 + 12)
  for (const { label, value } of texts.sums) {
    put(label, inner / 2 + 12, y, body, soft)
    putEnd(value, inner, y, figure(body))
    y += 18
  }
  put(words.total, inner / 2 + 12, y + 2, style(12, 600))
  putEnd(texts.total, inner, y + 2, figure(style(12, 600)))
  y += 36

  need(qrSize + 16)
  const code = encode(paymentUrl, { ecc: 'M', border: 4 })
  const module = qrSize / code.size
  const left = isRtl ? page.width - page.margin - qrSize : page.margin
  // Scanners need a white background and a quiet zone of four modules, whatever colour the paper has.
  doc.rect(left, y, qrSize, qrSize).fill('#fff')
  for (const [row, cells] of code.data.entries())
    for (const [cell, isDark] of cells.entries()) if (isDark) doc.rect(left + cell * module, y + row * module, module, module)
  doc.fill('#000')
  put(words.payOnline, qrSize + 16, y + 30, style(12, 600))
  const hintEnd = block(words.payOnlineHint, qrSize + 16, y + 48, inner - qrSize - 16, body, soft)
  const linkLines = set.lines(paymentUrl, { ...body, dir: 'ltr' }, inner - qrSize - 16)
  for (const [index, line] of linkLines.entries()) {
    const [x, baseline] = [at(qrSize + 16, line), hintEnd + 4 + index * 14.5]
    draw(line, x, baseline, '#0f4c5c')
    doc.link(x, baseline - 10, line.width, 14, paymentUrl)
  }
  doc.link(left, y, qrSize, qrSize, paymentUrl)

  const { start, count } = doc.bufferedPageRange()
  for (let index = start; index < start + count; index++) {
    doc.switchToPage(index)
    if (!isLive) put(words.testMode, 0, page.height - 32, small, soft)
    if (count > 1) putEnd(`${index + 1}/${count}`, inner, page.height - 32, small, soft)
  }
  doc.end()
  return bytes
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
