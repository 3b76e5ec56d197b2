import { encode } from 'uqr'
import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { InvoiceData } from '../../src/wire/invoice.ts'
import { addressLines } from '../../src/wire/scalars.ts'
import type { InvoiceWords } from '../../src/wire/invoice-words.ts'
import { fiatDecimal } from '../orders/model/rate.ts'
import { invoiceTotals } from './invoice.ts'
import { inner, openPaper, soft } from '../pdf/paper.ts'

export interface PrintableInvoice {
  readonly data: InvoiceData
  readonly fiatUnit: FiatCurrency
  readonly paymentUrl: string
  readonly isLive: boolean
  readonly publishedAt: Date
}

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
  const paper = await openPaper({
    locale: words.locale,
    dir: words.dir,
    title: texts.title,
    author: data.from.name,
    at: publishedAt,
    texts: [
      JSON.stringify(texts),
      ...Object.values(data.from),
      ...Object.values(data.recipient),
      paymentUrl,
      Object.values(words).join(' '),
    ],
    foot: isLive ? undefined : words.testMode,
  })
  const { put, putEnd, block, style, figure, rule, doc } = paper
  const [body, strong, small] = [style(10), style(10, 600), style(8.5)]

  paper.y = block(texts.title, 0, paper.y, inner, style(18, 600)) + 2
  put(texts.issued, 0, paper.y, body, soft)
  put(texts.due, 0, paper.y + 15, body, soft)
  paper.y += 48
  const half = inner / 2 - 12
  const party = (label: string, { name, email, address = '', tax_number: tax }: InvoiceData['from'], start: number): number => {
    put(label, start, paper.y, small, soft)
    const lines = [email, ...addressLines(address), ...(tax === undefined ? [] : [words.taxNumber(tax)])]
    return lines.reduce((below, line) => block(line, start, below, half, body, soft), block(name, start, paper.y + 15, half, strong))
  }
  paper.y = Math.max(party(words.from, data.from, 0), party(words.to, data.recipient, inner / 2 + 12)) + 18

  const head = () => {
    put(words.item, 0, paper.y, small, soft)
    putEnd(words.tax, inner - column.amount, paper.y, small, soft)
    putEnd(words.amount, inner, paper.y, small, soft)
    rule(paper.y + 7)
    paper.y += 24
  }
  head()
  const nameWidth = inner - column.amount - column.tax - 12
  for (const line of texts.lines) {
    paper.need(paper.countLines(line.name, body, nameWidth) * 14.5 + 30, head)
    putEnd(line.tax, inner - column.amount, paper.y, figure(body))
    putEnd(line.amount, inner, paper.y, figure(body))
    const next = block(line.name, 0, paper.y, nameWidth, body)
    put(line.detail, 0, next - 1, figure(small), soft)
    rule(next + 8)
    paper.y = next + 25
  }
  paper.need((texts.sums.length + 1) * 18 + 12)
  for (const { label, value } of texts.sums) {
    put(label, inner / 2 + 12, paper.y, body, soft)
    putEnd(value, inner, paper.y, figure(body))
    paper.y += 18
  }
  put(words.total, inner / 2 + 12, paper.y + 2, style(12, 600))
  putEnd(texts.total, inner, paper.y + 2, figure(style(12, 600)))
  paper.y += 36

  paper.need(qrSize + 16)
  const code = encode(paymentUrl, { ecc: 'M', border: 4 })
  const module = qrSize / code.size
  const left = paper.left(qrSize)
  // Scanners need a white background and a quiet zone of four modules, whatever colour the paper has.
  doc.rect(left, paper.y, qrSize, qrSize).fill('#fff')
  for (const [row, cells] of code.data.entries())
    for (const [cell, isDark] of cells.entries()) if (isDark) doc.rect(left + cell * module, paper.y + row * module, module, module)
  doc.fill('#000')
  put(words.payOnline, qrSize + 16, paper.y + 30, style(12, 600))
  const hintEnd = block(words.payOnlineHint, qrSize + 16, paper.y + 48, inner - qrSize - 16, body, soft)
  paper.link(paymentUrl, paymentUrl, qrSize + 16, hintEnd + 4, inner - qrSize - 16, body)
  doc.link(left, paper.y, qrSize, qrSize, paymentUrl)

  return paper.finish()
}
